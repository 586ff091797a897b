package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.parallel.Servers.Turn;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs of a worker that take turns in pulling and pushing: those that fetch and do the same, on batches of any size. */
final class Cycles {
    private final Map<List<Object>, Cycle> all = new HashMap<>();

    /** Steps that were taken of a kind. */
    static final class Cycle {
        private final int kind;
        private long steps;
        /** The last run that pulled parameters. */
        private SentRuns.Sent whole;

        private Cycle(int kind) {
            this.kind = kind;
        }

        boolean trains() {
            return steps > 0;
        }

        /** What the step behind this one, on a batch of the same size, is like. */
        SentRuns.Sent next(Served plan, SentRuns.Sent run) {
            if (turn(plan).pulls()) whole = run;
            return nextPulls(plan) ? whole : run;
        }

        /** Whether the step behind this one pulls parameters. */
        boolean nextPulls(Served plan) {
            return Turn.of(plan, kind, steps + 1).pulls();
        }

        Turn turn(Served plan) {
            return Turn.of(plan, kind, steps);
        }

        void taken() {
            steps++;
        }
    }

    Cycle of(List<Edge> fetches, List<Node> targets) {
        return all.computeIfAbsent(List.of(List.copyOf(fetches), List.copyOf(targets)), _ -> new Cycle(all.size()));
    }
}
