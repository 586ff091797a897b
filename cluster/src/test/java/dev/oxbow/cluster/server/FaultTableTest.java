package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows of the failure table with real processes: what is stopped, killed and started again. */
@Timeout(180)
final class FaultTableTest {
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1)
            .withLostAfter(Duration.ofSeconds(2)); // on a machine that does other things, too

    private static final Duration LONG = Duration.ofSeconds(30);
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
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            s.target(there.initialiser(), here.initialiser()).run().close();
            CompletableFuture<OxbowException> end = begin(s, waits);
            c.process("worker", 1).stop();
            OxbowException e = await(end);
            assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
            assertEquals(ONE, e.task(), e.getMessage());
            assertTrue(e.getMessage().contains("no sign of life for 2."), e.getMessage());
            assertTrue(e.getMessage().contains("the step failed after "), e.getMessage());
            assertEquals(7f, value(s, here), "what does without it goes on");
            OxbowException before = assertThrows(OxbowException.class, () -> value(s, there));
            assertEquals(ErrorCode.UNAVAILABLE, before.code(), before.getMessage());
            c.process("worker", 1).resume();
            OxbowException after = assertThrows(OxbowException.class, () -> value(s, there));
            assertEquals(ErrorCode.UNAVAILABLE, after.code(), after.getMessage());
            assertTrue(after.getMessage().contains("has to be opened again"), after.getMessage());
            try (Session fresh = Session.open(c.target(), graph, SessionOptions.defaults())) {
                assertEquals(5f, value(fresh, there));
            }
        }
    }

    private static float value(Session s, Parameter p) {
        try (Results r = s.fetch(p.value().edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    @Test
    void aTaskThatIsKilledAndStartedAgainBetweenTwoStepsIsNeverReadAsZeros() {
        Parameter v = variable(1, 21f);
        Value twice;
        try (var _ = graph.device("/job:worker/task:0")) {
            twice = v.value().times(2);
        }
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.PROCESSES);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            s.target(v.initialiser()).run().close();
            s.fetch(twice.edge()).run().close();
            c.process("worker", 1).kill();
            c.restart("worker", 1);
            for (int i = 0; i < 20; i++) {
                OxbowException e = assertThrows(
                        OxbowException.class, () -> s.fetch(twice.edge()).run().close());
                assertTrue(List.of(ErrorCode.UNAVAILABLE, ErrorCode.ABORTED).contains(e.code()), e.getMessage());
                assertEquals(ONE, e.task(), e.getMessage());
            }
            try (Session fresh = Session.open(c.target(), graph, SessionOptions.defaults())) {
                OxbowException empty = assertThrows(
                        OxbowException.class,
                        () -> fresh.fetch(twice.edge()).run().close());
                assertEquals(ErrorCode.FAILED_PRECONDITION, empty.code(), empty.getMessage());
            }
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
            Session s = Session.open("grpc://" + spec.address(master.task()), graph, SessionOptions.defaults());
            s.target(there.initialiser()).run().close();
            CompletableFuture<OxbowException> end = begin(s, waits);
            assertTrue(worker.localWorker().steps().await(n -> n == 1, LONG), "the step waits here");
            master.stop();
            assertTrue(worker.localWorker().sessions().await(n -> n == 0, LONG), "its session is dropped");
            assertTrue(worker.localWorker().steps().await(n -> n == 0, LONG), "and its step");
            assertEquals(0, worker.localWorker().graphCount());
            master.resume();
            OxbowException e = await(end);
            assertTrue(List.of(ErrorCode.UNAVAILABLE, ErrorCode.ABORTED).contains(e.code()), e.getMessage());
            OxbowException late = assertThrows(
                    OxbowException.class, () -> s.target(there.initialiser()).run());
            assertEquals(ErrorCode.ABORTED, late.code(), late.getMessage());
            assertTrue(late.getMessage().contains("its master was lost"), late.getMessage());
            s.close();
            Session again = Session.open("grpc://" + spec.address(master.task()), graph, SessionOptions.defaults());
            assertEquals(5f, value(again, there), "what it had is there");
            CompletableFuture<OxbowException> second = begin(again, waits);
            assertTrue(worker.localWorker().steps().await(n -> n == 1, LONG), "the step waits here");
            master.kill();
            assertEquals(ErrorCode.UNAVAILABLE, await(second).code());
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
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES);
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
