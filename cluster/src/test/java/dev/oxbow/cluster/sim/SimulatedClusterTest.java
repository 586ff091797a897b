package dev.oxbow.cluster.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Delay;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.proto.ConfigProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of a whole cluster in virtual time, by seed. */
@Timeout(300)
final class SimulatedClusterTest {
    private static final TaskName PS = new TaskName("ps", 0);
    private static final TaskName MASTER = new TaskName("worker", 0);
    private static final TaskName OTHER = new TaskName("worker", 1);
    private static final Duration LOST = Duration.ofSeconds(1);
    private static final ClusterSpec SPEC =
            ClusterSpec.of(Map.of("ps", List.of("a:1"), "worker", List.of("b:1", "c:1")));

    /** A variable in the ps that each step counts up, and a sum that needs all three tasks. */
    private static final class Program {
        final Graph graph = new Graph();
        final Parameter counter;
        final Node add;
        final Value sum;

        Program() {
            Ops ops = Ops.in(graph);
            try (var _ = graph.device("/job:ps/task:0")) {
                counter = Parameter.of("counter", ops.constant(100f));
                add = graph.add(
                        new AssignAddVariableOp(),
                        List.of(counter.handle().edge(), ops.constant(1f).edge()));
            }
            Value there, read;
            try (var _ = graph.device("/job:ps/task:0");
                    var _ = graph.after(add)) {
                read = ops.add(
                                new ReadVariableOp(DType.F32),
                                Value.of(counter.handle().edge()))
                        .getFirst();
            }
            try (var _ = graph.device("/job:worker/task:1")) {
                there = read.times(2);
            }
            try (var _ = graph.device("/job:worker/task:0")) {
                sum = there.plus(1);
            }
        }

        /** Counts up once, and gives what the counter is. */
        float step(Session s) {
            try (Results r = s.fetch(sum.edge()).run()) {
                return (r.get(0).floats()[0] - 1) / 2;
            }
        }
    }

    private static Conditions wires(SplittableRandom random) {
        return Conditions.GOOD
                .withDelay(Delay.uniform(Duration.ofNanos(10_000), Duration.ofMillis(1 + random.nextInt(10))))
                .withBytesPerSecond(1e6 * (1 + random.nextInt(1000)))
                .withLoss(random.nextInt(3) * 0.02);
    }

    private enum Fault {
        NONE,
        CRASH,
        RESTART,
        STOP,
        SHORT_STOP,
        CUT
    }

    @RepeatedTest(200)
    void everyStepEndsWithTheRightValueOrANamedErrorInTimeAndTheClusterCanBeUsedAgain(RepetitionInfo run) {
        long seed = run.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        TaskName who = List.of(PS, OTHER, MASTER).get(random.nextInt(3));
        String what = "seed %d, %s of %s".formatted(seed, fault, who);
        SimulatedNetwork network = new SimulatedNetwork(seed, wires(random));
        Program p = new Program();
        try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST)) {
            int done = 0, failed = 0;
            float last = 100;
            long begun = network.nanoTime();
            try (Session s = cluster.open(MASTER, p.graph)) {
                s.target(p.counter.initialiser()).run().close();
                network.after(
                        Duration.ofNanos(random.nextInt(300_000_000)), () -> strike(cluster, network, fault, who));
                for (int i = 0; i < 30 && failed < 3; i++) {
                    begun = network.nanoTime();
                    try {
                        float now = p.step(s);
                        done++;
                        assertTrue(
                                now > last && now <= 100 + done + failed,
                                what + ": the counter is " + now + " after " + last);
                        last = now;
                    } catch (OxbowException e) {
                        failed++;
                        check(e, fault, who, what);
                    }
                    double took = (network.nanoTime() - begun) / 1e9;
                    assertTrue(took < 1.25 + 2 + (fault == Fault.SHORT_STOP ? 0.7 : 0), what + ": took " + took + " s");
                }
                if (fault == Fault.NONE || fault == Fault.SHORT_STOP) assertEquals(30, done, what);
            }
            repair(cluster, network, fault, who);
            try (Session again = cluster.open(MASTER, p.graph)) {
                if (fault == Fault.RESTART && who.equals(PS) || fault == Fault.CRASH && who.equals(PS)) {
                    OxbowException empty = assertThrows(OxbowException.class, () -> p.step(again), what);
                    assertEquals(ErrorCode.NOT_FOUND, empty.code(), what + ": " + empty.getMessage());
                    again.target(p.counter.initialiser()).run().close();
                }
                p.step(again);
            }
            network.pass(Duration.ofSeconds(90)); // more than any lease of a session
            for (TaskName t : SPEC.tasks()) {
                assertEquals(0, cluster.worker(t).sessions().value(), what + ": sessions of " + t);
                assertEquals(0, cluster.worker(t).steps().value(), what + ": steps of " + t);
                assertEquals(0, cluster.worker(t).graphCount(), what + ": graphs of " + t);
            }
        }
    }

    private static void strike(SimulatedCluster c, SimulatedNetwork n, Fault fault, TaskName who) {
        switch (fault) {
            case NONE -> {}
            case CRASH -> c.crash(who);
            case RESTART -> {
                c.crash(who);
                n.after(Duration.ofMillis(100), () -> c.restart(who));
            }
            case STOP -> c.stop(who);
            case SHORT_STOP -> {
                c.stop(who);
                n.after(Duration.ofMillis(600), () -> c.resume(who));
            }
            case CUT -> c.cut(who);
        }
    }

    private static void repair(SimulatedCluster c, SimulatedNetwork n, Fault fault, TaskName who) {
        switch (fault) {
            case NONE, RESTART, SHORT_STOP -> n.pass(Duration.ofSeconds(1));
            case CRASH -> c.restart(who);
            case STOP -> c.resume(who);
            case CUT -> n.heal();
        }
        n.pass(Duration.ofSeconds(3));
    }

    private static void check(OxbowException e, Fault fault, TaskName who, String what) {
        String message = what + ": " + e.code() + " " + e.getMessage();
        assertTrue(fault != Fault.NONE && fault != Fault.SHORT_STOP, message);
        assertTrue(List.of(ErrorCode.UNAVAILABLE, ErrorCode.ABORTED).contains(e.code()), message);
        boolean named = who.toString().equals(e.task()) || e.getMessage().contains(who.toString());
        // where the master is cut off or gone it is the master, or what the master can not reach
        assertTrue(named || who.equals(MASTER) || fault == Fault.CUT, message);
    }

    /** What a step of before was about to write stays unwritten once somebody else has begun anew. */
    @RepeatedTest(60)
    void aStoppedTaskThatWakesUpAfterItWasLostChangesNothing(RepetitionInfo run) {
        long seed = run.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        TaskName who = List.of(PS, OTHER, MASTER).get((int) seed % 3);
        String what = "seed %d, %s".formatted(seed, who);
        SimulatedNetwork network = new SimulatedNetwork(seed, wires(random));
        Program p = new Program();
        try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST);
                Session s = cluster.open(MASTER, p.graph)) {
            s.target(p.counter.initialiser()).run().close();
            p.step(s);
            network.after(Duration.ofNanos(random.nextInt(100_000_000)), () -> cluster.stop(who));
            OxbowException lost = assertThrows(OxbowException.class, () -> {
                while (true) p.step(s);
            });
            assertEquals(ErrorCode.UNAVAILABLE, lost.code(), what + ": " + lost.getMessage());
            network.pass(Duration.ofMillis(500)); // a worker looks for its master in another moment than the client
            cluster.resume(who);
            try (Session other = cluster.open(who.equals(MASTER) ? OTHER : MASTER, p.graph)) {
                other.target(p.counter.initialiser()).run().close();
                assertThrows(OxbowException.class, () -> p.step(s), what);
                assertEquals(101, p.step(other), what);
                network.pass(Duration.ofSeconds(3));
                assertThrows(OxbowException.class, () -> p.step(s), what);
                assertEquals(102, p.step(other), what);
            }
        }
    }

    @Test
    void aRunCanBeRepeatedExactly() {
        long[] ends = new long[2];
        for (int i = 0; i < 2; i++) {
            SimulatedNetwork network = new SimulatedNetwork(42, wires(new SplittableRandom(42)));
            Program p = new Program();
            try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST);
                    Session s = cluster.open(MASTER, p.graph)) {
                s.target(p.counter.initialiser()).run().close();
                for (int k = 0; k < 5; k++) assertEquals(101 + k, p.step(s));
                ends[i] = network.nanoTime();
            }
        }
        assertEquals(ends[0], ends[1]);
    }

    @Test
    void aStepThatWaitsForATaskThatStopsNamesItAfterTheDeadline() {
        Graph graph = new Graph();
        Value got;
        try (var _ = graph.device("/job:worker/task:1")) {
            Value queue = Ops.in(graph)
                    .add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            got = Ops.in(graph)
                    .add(new QueueDequeueV2(List.of(DType.F32), -1), queue)
                    .getFirst();
        }
        SimulatedNetwork network = new SimulatedNetwork(1, 1e9, Duration.ofMillis(1), 0.01);
        try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST);
                Session s = cluster.open(MASTER, graph)) {
            network.after(Duration.ofSeconds(100), () -> cluster.stop(OTHER));
            OxbowException e =
                    assertThrows(OxbowException.class, () -> s.fetch(got.edge()).run());
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            assertEquals(OTHER.toString(), e.task());
            assertTrue(e.text().startsWith("the task gave no sign of life for 1."), e.text());
            double seconds = network.nanoTime() / 1e9;
            assertTrue(seconds > 100.9 && seconds < 101.6, "after " + seconds + " s");
        }
    }

    @Test
    void aTaskThatStandsStillAtTheStartIsNamedWhenTheTimeIsOverAndTheNextSessionHasIt() {
        ConfigProto config =
                ConfigProto.newBuilder().setOperationTimeoutInMs(1_500).build();
        SimulatedNetwork network = new SimulatedNetwork(3, 1e9, Duration.ofMillis(1), 0);
        Program p = new Program();
        try (SimulatedCluster cluster = new SimulatedCluster(SPEC, network, LOST)) {
            cluster.stop(OTHER);
            OxbowException e = assertThrows(OxbowException.class, () -> cluster.open(MASTER, p.graph, config));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e.getMessage());
            assertTrue(e.text().startsWith("CreateSession: [" + OTHER + "] did not come up within 1500 ms"), e.text());
            double seconds = network.nanoTime() / 1e9;
            assertTrue(seconds >= 1.5 && seconds < 1.8, "after " + seconds + " s");
            cluster.resume(OTHER);
            try (Session s = cluster.open(MASTER, p.graph, config)) {
                s.target(p.counter.initialiser()).run().close();
                assertEquals(101, p.step(s));
            }
        }
    }
}
