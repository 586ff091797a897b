package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.master.ClusterProgram.TaskPart;
import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.cluster.worker.RunGraph;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** One step that a client feeds and fetches in several calls. */
final class PartialRuns {
    private final String name;
    private final ClusterProgram program;
    private final Key key;
    private final Graph graph;
    private final long step;
    private final Set<Integer> fed = new HashSet<>();
    private final Set<Integer> fetched = new HashSet<>();
    private boolean begun;
    private boolean busy;

    PartialRuns(String name, ClusterProgram program, Key key, Graph graph, long step) {
        this.name = name;
        this.program = program;
        this.key = key;
        this.graph = graph;
        this.step = step;
    }

    ClusterProgram program() {
        return program;
    }

    synchronized boolean isDone() {
        return fed.size() == key.feeds().size()
                && fetched.size() == key.fetches().size();
    }

    void run(
            List<String> feeds,
            List<Tensor> values,
            List<String> fetches,
            Cancellation cancellation,
            BiConsumer<ClusterStep.Result, OxbowException> then) {
        List<TaskPart> parts = new ArrayList<>();
        List<RunGraph> runs = new ArrayList<>();
        List<int[]> places = new ArrayList<>();
        synchronized (this) {
            require(!busy, INVALID_ARGUMENT, "partial run %s: a call of it is under way", name);
            List<Integer> in = indices(feeds, key.feeds(), fed, "fed");
            List<Integer> out = indices(fetches, key.fetches(), fetched, "fetched");
            checkReady(in, out);
            fed.addAll(in);
            fetched.addAll(out);
            boolean last = fed.size() == key.feeds().size()
                    && fetched.size() == key.fetches().size();
            for (TaskPart p : program.parts()) {
                RunGraph run = part(p, in, values, out, last);
                boolean idle = run.feeds().isEmpty() && run.fetchKeys().isEmpty();
                if (idle && begun && !last) continue;
                parts.add(p);
                runs.add(run);
                places.add(places(p, out));
            }
            begun = true;
            busy = true;
        }
        ClusterStep.partial(parts, runs, places, fetches.size(), cancellation, (result, error) -> {
            synchronized (this) {
                busy = false;
            }
            then.accept(result, error);
        });
    }

    private List<Integer> indices(List<String> names, List<String> among, Set<Integer> done, String how) {
        List<Integer> all = new ArrayList<>();
        for (String n : names) {
            int i = among.indexOf(n);
            require(
                    i >= 0,
                    INVALID_ARGUMENT,
                    "partial run: %s was to be %s and was not specified in partial_run_setup.",
                    n,
                    how);
            require(
                    !done.contains(i) && !all.contains(i),
                    INVALID_ARGUMENT,
                    "partial run: %s has already been %s.",
                    n,
                    how);
            all.add(i);
        }
        return all;
    }

    private void checkReady(List<Integer> in, List<Integer> out) {
        List<Edge> edges = key.feeds().stream().map(graph::edge).toList();
        for (int o : out)
            for (Edge f : Cut.feedsBehind(graph.edge(key.fetches().get(o)), edges)) {
                int i = edges.indexOf(f);
                require(
                        fed.contains(i) || in.contains(i),
                        INVALID_ARGUMENT,
                        "partial run: computing %s needs %s, which was not fed",
                        key.fetches().get(o),
                        key.feeds().get(i));
            }
    }

    private RunGraph part(TaskPart p, List<Integer> in, List<Tensor> values, List<Integer> out, boolean last) {
        List<String> feedKeys = new ArrayList<>(), fetchKeys = new ArrayList<>();
        List<Tensor> feeds = new ArrayList<>();
        for (int i = 0; i < p.feeds().length; i++) {
            int at = in.indexOf(p.feeds()[i]);
            if (at < 0) continue;
            feedKeys.add(p.feedKeys().get(i));
            feeds.add(values.get(at));
        }
        for (int i = 0; i < p.fetches().length; i++)
            if (out.contains(p.fetches()[i])) fetchKeys.add(p.fetchKeys().get(i));
        return new RunGraph(program.session(), p.graph(), step, feedKeys, feeds, fetchKeys, true, last, false);
    }

    /** Where the values that a part gives stand among those that the call wants. */
    private static int[] places(TaskPart p, List<Integer> out) {
        List<Integer> all = new ArrayList<>();
        for (int f : p.fetches()) if (out.contains(f)) all.add(out.indexOf(f));
        return all.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Has the workers forget the step. */
    void end() {
        for (TaskPart p : program.parts()) p.worker().cleanup(step);
    }
}
