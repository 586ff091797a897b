package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.sim.SimulatedCluster;
import dev.oxbow.cluster.sim.SimulatedNetwork;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.ops.CommitPush;
import dev.oxbow.parallel.ops.GateState;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes of workers to two servers over a whole cluster in virtual time, whose tasks stop, die and are cut off. */
final class AtMostOnceTest {
    private static final int STEPS = 6;
    private static final Duration LOST = Duration.ofSeconds(1);
    private static final ClusterSpec SPEC =
            ClusterSpec.json("{\"ps\": [\"a:1\", \"b:1\"], \"worker\": [\"c:1\", \"d:1\"]}");
    private static final TensorType NUMBER = new TensorType(DType.I64, Shape.SCALAR);

    /** What one worker runs: a push to each server and what lets both count, as a plan writes them. */
    private static final class Program {
        final Graph graph = new Graph();
        final Edge step;
        final List<Node> starts = new ArrayList<>();
        final List<Node> commits = new ArrayList<>();
        final List<Edge> states = new ArrayList<>();
        final List<Edge> sums = new ArrayList<>();
        final List<Node> settles = new ArrayList<>();

        Program(int worker) {
            Ops ops = Ops.in(graph);
            FunctionRef update = update();
            Value number;
            try (Graph.Scope _ = graph.device("/job:worker/task:" + worker)) {
                number = ops.placeholder("step", DType.I64, Shape.SCALAR);
            }
            step = number.edge();
            List<Node> pushes = new ArrayList<>();
            for (int k = 0; k < 2; k++) {
                try (Graph.Scope _ = graph.device("/job:ps/task:" + k)) {
                    Value who = ops.constant(DType.I64, worker),
                            none = ops.constant(Tensor.zeros(DType.I64, Shape.of(0)));
                    Value gradient = ops.constant(DType.I64, 1 + 1000L * worker);
                    GradientPush op = new GradientPush("gate", "", update, 0, true);
                    pushes.add(add(op, who, number, number, none, gradient));
                    states.add(Value.apply(new GateState("gate", ""), who).edge());
                    starts.add(add(new AssignVariableOp(false), handle(graph), ops.constant(DType.I64, 0)));
                    sums.add(Value.apply(new ReadVariableOp(DType.I64), handle(graph))
                            .edge());
                    settles.add(add(new CommitPush("gate", ""), who, number));
                }
            }
            for (int k = 0; k < 2; k++) {
                try (Graph.Scope _ = graph.device("/job:ps/task:" + k);
                        Graph.Scope _ = graph.after(pushes.toArray(Node[]::new))) {
                    commits.add(add(new CommitPush("gate", ""), ops.constant(DType.I64, worker), number));
                }
            }
        }

        private Node add(Op op, Value... inputs) {
            List<Edge> edges = new ArrayList<>();
            for (Value v : inputs) edges.add(v.edge());
            return graph.add(op, edges);
        }

        private static Value handle(Graph g) {
            return Value.of(g.add(new VarHandleOp("", "sum", "", DType.I64, Shape.SCALAR, List.of()), List.of())
                    .edge(0));
        }

        /** Adds what was pushed. */
        private FunctionRef update() {
            Graph body = new Graph(graph.functions());
            Node pushed = body.source(null, new NodeSpec("pushed", new Arg(DType.I64, 0), List.of()), NUMBER);
            Node sum = body.add(new AssignAddVariableOp(), List.of(handle(body).edge(), pushed.edge(0)));
            graph.functions()
                    .add(new Function(
                            "update",
                            body,
                            List.of(pushed),
                            List.of("pushed"),
                            List.of(),
                            List.of(),
                            List.of(sum),
                            Map.of()));
            return new FunctionRef("update");
        }

        void run(Session s, long number, List<Node> targets) {
            try (Tensor t = Tensor.allocate(DType.I64, Shape.SCALAR)) {
                t.setLong(0, number);
                s.feed(step, t).target(targets.toArray(Node[]::new)).run().close();
            }
        }

        long[][] states(Session s) {
            try (Results r = s.fetch(states.toArray(Edge[]::new)).run()) {
                return new long[][] {r.get(0).longs(), r.get(1).longs()};
            }
        }

        /** What a worker does that comes again; the first step that it has not pushed. */
        long settle(Session s) {
            long[][] now = states(s);
            for (int k = 0; k < 2; k++)
                if (now[k][GateState.HELD] >= 0 && now[1 - k][GateState.COMMITTED] == now[k][GateState.HELD])
                    run(s, now[k][GateState.HELD], List.of(settles.get(k)));
            now = states(s);
            assertEquals(now[0][GateState.MISSING], now[1][GateState.MISSING]);
            return now[0][GateState.MISSING];
        }
    }

    private static TaskName task(SplittableRandom random) {
        return SPEC.tasks().get(random.nextInt(SPEC.tasks().size()));
    }

    /** Something happens to a task soon, and is over a little later: when. */
    private static long strike(SimulatedCluster c, SimulatedNetwork n, SplittableRandom random) {
        TaskName who = task(random);
        int kind = random.nextInt(4);
        Duration soon = Duration.ofNanos(random.nextInt(30_000_000)),
                later = soon.plusMillis(100 + random.nextInt(1500));
        switch (kind) {
            case 0 -> {}
            case 1 -> {
                n.after(soon, () -> c.cut(who));
                n.after(later, n::heal);
            }
            case 2 -> {
                n.after(soon, () -> c.stop(who));
                n.after(later, () -> c.resume(who));
            }
            default -> {
                if (who.job().equals("ps")) return n.nanoTime(); // what a server has is lost with it
                n.after(soon, () -> c.crash(who));
                n.after(later, () -> c.restart(who));
            }
        }
        return n.nanoTime() + later.toNanos();
    }

    private static int run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Duration least = Duration.ofNanos(10_000), most = Duration.ofMillis(1 + random.nextInt(10));
        SimulatedNetwork network = new SimulatedNetwork(seed, 1e9, least, most, random.nextInt(3) * 0.02);
        List<Program> programs = List.of(new Program(0), new Program(1));
        int failed = 0;
        try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST)) {
            long[] steps = new long[2];
            Session[] sessions = new Session[2];
            boolean started = false;
            long quiet = -1;
            while (steps[0] < STEPS || steps[1] < STEPS) {
                int w = steps[0] < STEPS && (steps[1] == STEPS || random.nextBoolean()) ? 0 : 1;
                Program p = programs.get(w);
                try {
                    if (sessions[w] == null) {
                        sessions[w] = cluster.open(new TaskName("worker", w), p.graph);
                        if (!started) p.run(sessions[w], 0, p.starts);
                        started = true;
                        steps[w] = p.settle(sessions[w]);
                        if (steps[w] == STEPS) continue;
                    }
                    if (network.nanoTime() > quiet) quiet = strike(cluster, network, random); // one at a time
                    p.run(sessions[w], steps[w], p.commits);
                    steps[w]++;
                } catch (OxbowException e) {
                    failed++;
                    assertTrue(failed < 200, "seed " + seed + " does not end: " + e);
                    sessions[w] = null; // its process is gone, too
                    network.pass(Duration.ofSeconds(3));
                }
            }
            network.pass(Duration.ofSeconds(3));
            try (Session s = cluster.open(new TaskName("worker", 0), programs.getFirst().graph)) {
                for (int w = 0; w < 2; w++) {
                    try (Session own = cluster.open(new TaskName("worker", w), programs.get(w).graph)) {
                        assertEquals(STEPS, programs.get(w).settle(own), "seed " + seed);
                    }
                }
                try (Results r =
                        s.fetch(programs.getFirst().sums.toArray(Edge[]::new)).run()) {
                    for (int k = 0; k < 2; k++)
                        assertEquals(STEPS * 1002L, r.get(k).getLong(0), "seed " + seed);
                }
                for (long[] state : programs.getFirst().states(s))
                    assertEquals(2L * STEPS, state[GateState.VERSION], "seed " + seed);
            }
        }
        return failed;
    }

    @Test
    @Timeout(300)
    void everyPushCountsOnceAtEveryServerWhateverHappensToTasks() {
        int failed = 0;
        for (long seed = 1; seed <= 20; seed++) failed += run(seed);
        assertTrue(failed > 5, "only " + failed + " steps failed");
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void everyPushCountsOnceForAThousandSeeds() {
        for (long seed = 1; seed <= 1000; seed++) run(seed);
    }
}
