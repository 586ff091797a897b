package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows of the failure table with real processes: what is stopped, killed and started again. */
@Timeout(300)
final class FaultTableTest {
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1)
            .withLostAfter(Duration.ofSeconds(1));

    private static final List<ErrorCode> LOST = List.of(ErrorCode.UNAVAILABLE, ErrorCode.ABORTED);
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final String ONE = "/job:worker/replica:0/task:1";

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    /** A step that waits in task 1 for what never comes, and in task 0 for task 1. */
    private Value blocked() {
        Value got;
        try (var _ = graph.device("/job:worker/task:1")) {
            Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        }
        try (var _ = graph.device("/job:worker/task:0")) {
            return got.plus(1);
        }
    }

    private Parameter variable(int task, float value) {
        try (var _ = graph.device("/job:worker/task:" + task)) {
            return Parameter.of("v" + task, ops.constant(value));
        }
    }

    /**
     * A session in which something was done: a process that has just begun may stand still for longer than others wait, and
     * is lost then.
     */
    private Session prepared(String target, Consumer<Session> what) {
        for (int i = 0; ; i++) {
            Session s = null;
            try {
                s = Session.open(target, graph, SessionOptions.defaults());
                what.accept(s);
                return s;
            } catch (OxbowException e) {
                if (s != null) s.close();
                if (i == 20 || !LOST.contains(e.code())) throw e;
            }
        }
    }

    private Session prepared(String target, Node... starts) {
        return prepared(target, s -> s.target(starts).run().close());
    }

    private static CompletableFuture<OxbowException> begin(Session s, Value v) {
        CompletableFuture<OxbowException> end = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                s.fetch(v.edge()).run().close();
                end.complete(null);
            } catch (OxbowException e) {
                end.complete(e);
            }
        });
        return end;
    }

    private static OxbowException await(CompletableFuture<OxbowException> end) throws Exception {
        return end.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aStoppedTaskIsNamedOthersGoOnAndOnlyANewSessionTakesItBack() throws Exception {
        Value waits = blocked();
        Parameter there = variable(1, 5f), here = variable(0, 7f);
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.PROCESSES);
                Session s = prepared(c.target(), there.initialiser(), here.initialiser())) {
            CompletableFuture<OxbowException> end = begin(s, waits);
            c.process("worker", 1).stop();
            OxbowException e = await(end);
            assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
            assertEquals(ONE, e.task(), e.getMessage());
            assertTrue(e.getMessage().contains("no sign of life for 1."), e.getMessage());
            assertTrue(e.getMessage().contains("the step failed after "), e.getMessage());
            assertEquals(7f, value(s, here), "what does without it goes on");
            OxbowException before = assertThrows(OxbowException.class, () -> value(s, there));
            assertEquals(ErrorCode.UNAVAILABLE, before.code(), before.getMessage());
            c.process("worker", 1).resume();
            OxbowException after = assertThrows(OxbowException.class, () -> value(s, there));
            assertEquals(ErrorCode.UNAVAILABLE, after.code(), after.getMessage());
            assertTrue(after.getMessage().contains("has to be opened again"), after.getMessage());
            prepared(c.target(), fresh -> assertEquals(5f, value(fresh, there))).close();
        }
    }

    private static float value(Session s, Parameter p) {
        try (Results r = s.fetch(p.value().edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    @Test
    void aPsThatIsKilledAndStartedAgainOnItsPortBetweenTwoStepsIsNeverReadOrChangedAsZeros() {
        Parameter v;
        Node add;
        try (var _ = graph.device("/job:ps/task:0")) {
            v = Parameter.of("v", ops.constant(21f));
            add = graph.add(
                    new AssignAddVariableOp(),
                    List.of(v.handle().edge(), ops.constant(1f).edge()));
        }
        Value twice;
        try (var _ = graph.device("/job:worker/task:0")) {
            twice = v.value().times(2);
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("ps", 1, "worker", 1));
        String target = "grpc://" + spec.address(new TaskName("worker", 0));
        try (LocalCluster c = LocalCluster.start(spec, OPTIONS, LocalCluster.Links.PROCESSES);
                Session s = prepared(target, open -> {
                    open.target(v.initialiser()).run().close();
                    open.target(add).run().close();
                    try (Results r = open.fetch(twice.edge()).run()) {
                        assertEquals(44f, r.get(0).floats()[0]);
                    }
                })) {
            c.process("ps", 0).kill();
            c.restart("ps", 0);
            for (int i = 0; i < 20; i++) {
                boolean reads = i % 2 == 0;
                OxbowException e = assertThrows(
                        OxbowException.class,
                        () -> (reads ? s.fetch(twice.edge()) : s.target(add))
                                .run()
                                .close());
                assertTrue(LOST.contains(e.code()), e.getMessage());
                assertEquals("/job:ps/replica:0/task:0", e.task(), e.getMessage());
            }
            OxbowException empty = assertThrows(
                    OxbowException.class,
                    () -> prepared(
                            target, fresh -> fresh.fetch(twice.edge()).run().close()));
            assertEquals(ErrorCode.FAILED_PRECONDITION, empty.code(), empty.getMessage());
        }
    }

    @Test
    void aMasterThatIsLostLosesItsSessionsInTheWorkersAndCannotWriteWhenItWakesUp() throws Exception {
        Value waits = blocked();
        Parameter there = variable(1, 5f);
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        TaskProcess master = new TaskProcess(spec, new TaskName("worker", 0), OPTIONS);
        try (Server worker = new Server(spec, new TaskName("worker", 1), OPTIONS)) {
            master.await();
            String target = "grpc://" + spec.address(master.task());
            Session s = prepared(target, there.initialiser());
            CompletableFuture<OxbowException> end = begin(s, waits);
            assertTrue(worker.localWorker().steps().await(n -> n == 1, LONG), "the step waits here");
            master.stop();
            assertTrue(worker.localWorker().sessions().await(n -> n == 0, LONG), "its session is dropped");
            assertTrue(worker.localWorker().steps().await(n -> n == 0, LONG), "and its step");
            assertEquals(0, worker.localWorker().graphCount());
            master.resume();
            OxbowException e = await(end);
            assertTrue(LOST.contains(e.code()), e.getMessage());
            OxbowException late = assertThrows(
                    OxbowException.class, () -> s.target(there.initialiser()).run());
            assertEquals(ErrorCode.ABORTED, late.code(), late.getMessage());
            assertTrue(late.getMessage().contains("its master was lost"), late.getMessage());
            s.close();
            Session again = prepared(target, a -> assertEquals(5f, value(a, there), "what it had is there"));
            CompletableFuture<OxbowException> second = begin(again, waits);
            assertTrue(worker.localWorker().steps().await(n -> n == 1, LONG), "the step waits here");
            master.kill();
            OxbowException gone = await(second);
            assertTrue(LOST.contains(gone.code()), gone.getMessage());
            assertTrue(worker.localWorker().sessions().await(n -> n == 0, LONG), "its session is dropped");
            assertTrue(worker.localWorker().steps().await(n -> n == 0, LONG), "and its step");
            assertEquals(0, worker.health().size());
            again.close();
        } finally {
            master.close();
        }
    }

    @Test
    void anErrorOfAKernelNamesTaskAndNodeAndTheSessionGoesOn() {
        Value x = ops.placeholder("x", DType.I32, Shape.SCALAR), bad;
        Parameter here = variable(0, 7f);
        try (var _ = graph.device("/job:worker/task:1")) {
            bad = ops.constant(new int[] {1, 2, 3}).gather(x, 0);
        }
        Value sum;
        try (var _ = graph.device("/job:worker/task:0")) {
            sum = bad.plus(bad);
        }
        ServerOptions patient = OPTIONS.withLostAfter(LONG); // nobody is lost here
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), patient, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            s.target(here.initialiser()).run().close();
            for (int i = 0; i < 3; i++) {
                OxbowException e = assertThrows(
                        OxbowException.class,
                        () -> s.feed(x.edge(), Tensor.scalar(17))
                                .fetch(sum.edge())
                                .run());
                assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), e.getMessage());
                assertEquals(ONE, e.task(), e.getMessage());
                assertEquals(bad.edge().node().name(), e.node(), e.getMessage());
            }
            assertEquals(7f, value(s, here));
            for (Server server : c.servers())
                assertTrue(server.localWorker().steps().await(n -> n == 0, LONG), "nothing is left");
        }
    }

    @Test
    void aTaskThatIsMissingAtTheStartIsNamedAfterTheTimeout() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        ConfigProto config =
                ConfigProto.newBuilder().setOperationTimeoutInMs(1_000).build();
        try (Server master = new Server(spec, new TaskName("worker", 0), OPTIONS)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> Session.open(
                            master.target(), graph, SessionOptions.defaults().withService(ConfigProto.class, config)));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e.getMessage());
            assertTrue(e.getMessage().contains(ONE), e.getMessage());
        }
    }
}
