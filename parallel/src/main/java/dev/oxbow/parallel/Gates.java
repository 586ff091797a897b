package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.parallel.ops.Absentees;
import dev.oxbow.parallel.ops.CommitPush;
import dev.oxbow.parallel.ops.ForgetContainer;
import dev.oxbow.parallel.ops.GateMembership;
import dev.oxbow.parallel.ops.GateState;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What the gates of all servers are asked and told of one worker, by runs of a session of the cluster. */
final class Gates {
    /** How long servers may take to say who is missing, when a step has waited in vain. */
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final Edge worker;
    /** The number of a run, or of a life of the worker. */
    private final Edge number;
    /** Of the steps of a worker that comes. */
    private final Edge first;

    private final List<Edge> states = new ArrayList<>();
    private final List<Node> commits = new ArrayList<>();
    private final List<Node> joins = new ArrayList<>();
    private final List<Node> leaves = new ArrayList<>();
    private final List<Node> forgets = new ArrayList<>();
    private final List<Edge> absentees = new ArrayList<>();

    /** Adds what it takes to the graph that a session will run; the worker is at {@code device}. */
    Gates(Graph graph, Servers servers, String device) {
        Ops ops = Ops.in(graph);
        try (Graph.Scope _ = graph.device(device)) {
            worker = ops.placeholder("gates/worker", DType.I64, Shape.SCALAR).edge();
            number = ops.placeholder("gates/number", DType.I64, Shape.SCALAR).edge();
            first = ops.placeholder("gates/first", DType.I64, Shape.SCALAR).edge();
        }
        String gate = Servers.TRAINING;
        List<Edge> both = List.of(worker, number), life = List.of(worker, number, first);
        for (int place = 0; place < servers.places(); place++) {
            String container = servers.container(place);
            try (Graph.Scope _ = graph.device(servers.at(place))) {
                states.add(graph.add(new GateState(gate, container), List.of(worker))
                        .edge(0));
                commits.add(graph.add(new CommitPush(gate, container), both));
                joins.add(graph.add(new GateMembership(gate, container, true), life));
                leaves.add(graph.add(new GateMembership(gate, container, false), life));
                forgets.add(graph.add(new ForgetContainer(container), List.of()));
                absentees.add(
                        graph.add(new Absentees(gate, container, servers.workers(), servers.mostAhead()), List.of())
                                .edge(0));
            }
        }
    }

    static Tensor number(long n) {
        Tensor t = Tensor.allocate(DType.I64, Shape.SCALAR);
        t.setLong(0, n);
        return t;
    }

    void join(Session in, int who, long life) {
        tell(in, joins, who, life, 0);
    }

    void leave(Session in, int who, long life) {
        tell(in, leaves, who, life, 0);
    }

    /**
     * As {@link #settled}, of a worker that has just joined: places that hold the same shard may have heard of the others' last push
     * at different times, and what it pushes must be the same step at both.
     */
    long[][] aligned(Session in, int who, long life, int servers) {
        long[][] now = settled(in, who);
        boolean differ = false;
        for (int k = servers; k < now.length; k++) {
            long here = now[k % servers][GateState.MISSING], there = now[k][GateState.MISSING];
            if (here == there) continue;
            tell(in, List.of(joins.get(k % servers), joins.get(k)), who, life, Math.max(here, there));
            differ = true;
        }
        return differ ? asked(in, who) : now;
    }

    /** The end of a wait that was too long, with the workers for whom others wait, as far as the servers know and answer. */
    OxbowException named(Session in, OxbowException e) {
        if (e.code() != ErrorCode.DEADLINE_EXCEEDED) return e;
        Set<Long> all = new TreeSet<>();
        try (Results r = in.fetch(absentees.toArray(Edge[]::new))
                .options(RunOptions.timeout(ANSWER))
                .run()) {
            for (int k = 0; k < r.size(); k++) for (long w : r.get(k).longs()) all.add(w);
        } catch (OxbowException silent) {
            e.addSuppressed(silent);
        }
        if (all.isEmpty()) return e;
        return new OxbowException(e.code(), e.text() + "; others wait for workers " + all + " at the servers", e);
    }

    /** Removes all that the servers hold of the job. */
    void forget(Session in) {
        in.target(forgets.toArray(Node[]::new)).run().close();
    }

    /** Where all places are with a worker: what {@link GateState} says. */
    long[][] asked(Session in, int who) {
        try (Tensor w = number(who);
                Results r =
                        in.feed(worker, w).fetch(states.toArray(Edge[]::new)).run()) {
            long[][] all = new long[states.size()][];
            for (int k = 0; k < all.length; k++) all[k] = r.get(k).longs();
            return all;
        }
    }

    /** Lets what one server has counted of a worker's run count at those that still hold it; where they are then. */
    long[][] settled(Session in, int who) {
        long[][] now = asked(in, who);
        boolean changed = false;
        for (int k = 0; k < now.length; k++) {
            long held = now[k][GateState.HELD];
            if (held < 0 || Arrays.stream(now).noneMatch(s -> s[GateState.COMMITTED] == held)) continue;
            tell(in, List.of(commits.get(k)), who, held, -1);
            changed = true;
        }
        return changed ? asked(in, who) : now;
    }

    /** {@code begins} is a first step; -1 where nothing is said of one. */
    private void tell(Session in, List<Node> what, int who, long n, long begins) {
        try (Tensor w = number(who);
                Tensor which = number(n);
                Tensor from = number(begins)) {
            Session.Run run = in.feed(worker, w).feed(number, which);
            if (begins >= 0) run.feed(first, from);
            run.target(what.toArray(Node[]::new)).run().close();
        }
    }
}
