package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CreateSessionRequest;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.RunStepRequest;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that end or come back, clients that go, and strangers. */
@Timeout(300)
final class FaultsTest {
    private static final Duration LEASE = Duration.ofMillis(500);

    /** On a busy machine a new process may be silent for long. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withLease(LEASE);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private static final Duration LONG = Duration.ofSeconds(120);

    private static void awaitNone(Server s) {
        assertTrue(s.master().sessions().await(n -> n == 0, LONG), "sessions end");
        assertTrue(s.localWorker().sessions().await(n -> n == 0, LONG), "workers forget them");
        assertTrue(s.localWorker().steps().await(n -> n == 0, LONG), "steps end");
        assertEquals(0, s.localWorker().graphCount());
    }

    private Session open(Server s) {
        return Session.open(s.target(), graph, SessionOptions.defaults());
    }

    @Test
    void aTaskThatWasRestartedIsToldByItsIncarnationNotReadAsZeros() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        TaskName zero = new TaskName("worker", 0), one = new TaskName("worker", 1);
        Parameter v;
        Value twice;
        try (var _ = graph.device("/job:worker/task:1")) {
            v = Parameter.of("v", ops.constant(21f));
        }
        try (var _ = graph.device("/job:worker/task:0")) {
            twice = v.value().times(2);
        }
        try (Server master = new Server(spec, zero, OPTIONS)) {
            Server worker = new Server(spec, one, OPTIONS);
            try (Session s = open(master)) {
                s.target(v.initialiser()).run().close();
                try (Results r = s.fetch(twice.edge()).run()) {
                    assertEquals(42f, r.get(0).floats()[0]);
                }
                worker.close();
                OxbowException gone = assertThrows(
                        OxbowException.class, () -> s.fetch(twice.edge()).run());
                assertEquals(ErrorCode.UNAVAILABLE, gone.code(), gone.getMessage());
                assertEquals(one.toString(), gone.task());
                try (Server _ = new Server(spec, one, OPTIONS)) {
                    OxbowException e = assertThrows(OxbowException.class, () -> runUntilReached(s, twice));
                    assertEquals(ErrorCode.ABORTED, e.code(), e.getMessage());
                    assertTrue(e.getMessage().contains("restarted"), e.getMessage());
                    try (Session fresh = open(master)) {
                        OxbowException empty = assertThrows(
                                OxbowException.class,
                                () -> fresh.fetch(twice.edge()).run());
                        assertEquals(ErrorCode.FAILED_PRECONDITION, empty.code(), empty.getMessage());
                        fresh.target(v.initialiser()).run().close();
                        fresh.fetch(twice.edge()).run().close();
                    }
                }
            }
        }
    }

    /** The connection to a task that has come back may be made only after a pause. */
    private static void runUntilReached(Session s, Value v) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (true) {
            try {
                s.fetch(v.edge()).run().close();
                return;
            } catch (OxbowException e) {
                if (e.code() != ErrorCode.UNAVAILABLE || System.nanoTime() > end) throw e;
            }
        }
    }

    @Test
    void aTaskThatEndsFailsTheStepsThatWaitForIt() throws Exception {
        Value queue, got;
        try (var _ = graph.device("/job:worker/task:1")) {
            queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        }
        Value sum;
        try (var _ = graph.device("/job:worker/task:0")) {
            sum = got.plus(1);
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (Server master = new Server(spec, new TaskName("worker", 0), OPTIONS)) {
            Server worker = new Server(spec, new TaskName("worker", 1), OPTIONS);
            Session s = open(master);
            Thread.ofVirtual().start(() -> {
                try {
                    s.fetch(sum.edge()).run().close();
                    end.complete(null);
                } catch (Throwable e) {
                    end.complete(e);
                }
            });
            assertTrue(worker.localWorker().steps().await(n -> n == 1, LONG), "the step waits in both tasks");
            worker.close();
            OxbowException e = (OxbowException) end.get(120, TimeUnit.SECONDS);
            assertTrue(
                    e != null
                            && List.of(ErrorCode.UNAVAILABLE, ErrorCode.CANCELLED, ErrorCode.ABORTED)
                                    .contains(e.code()),
                    "" + e);
            assertEquals("/job:worker/replica:0/task:1", e.task());
            s.close();
        }
    }

    @Test
    void aTaskThatIsKilledFailsItsStepsAtOnceAndIsNamed() throws Exception {
        Value got, sum;
        try (var _ = graph.device("/job:worker/task:1")) {
            Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
            sum = got.plus(1);
        }
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)),
                        OPTIONS.withLostAfter(PATIENCE),
                        LocalCluster.Links.PROCESSES);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE))) {
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            s.fetch(ops.constant(1f).edge()).run().close();
            Thread.ofVirtual().start(() -> {
                try {
                    s.fetch(sum.edge()).run().close();
                    end.complete(null);
                } catch (Throwable e) {
                    end.complete(e);
                }
            });
            c.process("worker", 1).kill();
            OxbowException e = (OxbowException) end.get(120, TimeUnit.SECONDS);
            assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
            assertEquals("/job:worker/replica:0/task:1", e.task());
        }
    }

    /** Else the task could not say that it lives, and nobody could tell the loop to end. */
    @Test
    void aLoopThatWasShortBeforeKeepsNoMessagesWaiting() throws Exception {
        Parameter goes;
        Value rounds;
        Node end, again;
        try (var _ = graph.device("/job:worker/task:1")) {
            goes = Parameter.of("goes", ops.constant(0f));
            again = assign(goes, 1f);
            end = assign(goes, 0f);
            Value start = ops.constant(0f);
            rounds = ops.whileLoop(
                            ControlFlow.Form.SWITCHES,
                            v -> ops.add(new ReadVariableOp(DType.F32), goes.handle())
                                    .getFirst()
                                    .plus(v.getFirst().times(0))
                                    .greater(start),
                            v -> List.of(v.getFirst().plus(1)),
                            List.of(start))
                    .getFirst();
        }
        ServerOptions options = OPTIONS.withEventLoops(1);
        CompletableFuture<Float> counted = new CompletableFuture<>();
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), options, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            s.target(goes.initialiser()).run().close();
            for (int i = 0; i < 500; i++) assertEquals(0f, value(s, rounds)); // so that it would be quick
            s.target(again).run().close();
            Thread.ofPlatform().daemon().start(() -> counted.complete(value(s, rounds)));
            assertTrue(c.server("worker", 1).localWorker().steps().await(n -> n > 0, LONG), "it loops");
            s.target(end).run().close();
            counted.get(120, TimeUnit.SECONDS);
        }
    }

    private Node assign(Parameter p, float value) {
        return graph.add(
                new AssignVariableOp(false),
                List.of(p.handle().edge(), ops.constant(value).edge()));
    }

    private static float value(Session s, Value v) {
        try (Results r = s.fetch(v.edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    @Test
    void sessionsOfClientsThatWentEndWithTheLease() {
        Parameter v = Parameter.of("v", ops.constant(1f));
        try (LocalCluster c = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES)) {
            Server first = c.servers().getFirst();
            CreateSessionRequest create = CreateSessionRequest.newBuilder()
                    .setGraphDef(GraphExporter.write(graph))
                    .build();
            for (int i = 0; i < 10; i++) {
                try (RawClient client = new RawClient(first)) {
                    for (int k = 0; k < 10; k++)
                        run(client, call(client, create), v.initialiser().name());
                } // as when its process is killed: nothing is said about the sessions
            }
            c.servers().forEach(FaultsTest::awaitNone);
        }
    }

    private static String call(RawClient c, CreateSessionRequest r) {
        return c.ask(Methods.CREATE_SESSION, r).getSessionHandle();
    }

    private static void run(RawClient c, String handle, String target) {
        c.ask(
                Methods.RUN_STEP,
                RunStepRequest.newBuilder()
                        .setSessionHandle(handle)
                        .addTarget(target)
                        .build());
    }

    @Test
    void aStepWhoseClientGivesUpEnds() {
        Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                .getFirst();
        Value got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        try (LocalCluster c = LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", 1)));
                Session s = open(c.servers().getFirst())) {
            OxbowException late = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(got.edge())
                            .options(RunOptions.timeout(Duration.ofMillis(200)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            assertTrue(c.servers().getFirst().localWorker().steps().await(n -> n == 0, LONG), "nothing is left");
        }
    }

    @Test
    void strangersAndHostileMessagesLeaveTheServerHealthy() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), y = x.plus(1);
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 1)), OPTIONS, LocalCluster.Links.MESSAGES);
                Session s = open(c.servers().getFirst())) {
            Server server = c.servers().getFirst();
            for (int seed = 0; seed < 20; seed++) noise(server.port(), seed);
            try (RawClient p = new RawClient(server)) {
                assertCode(ErrorCode.ABORTED, () -> run(p, "no such session", "x"));
                String partly = call(
                        p,
                        CreateSessionRequest.newBuilder()
                                .setGraphDef(GraphDef.newBuilder()
                                        .addNode(NodeDef.newBuilder()
                                                .setName("odd")
                                                .setOp("NoSuchOp"))
                                        .addNode(NodeDef.newBuilder()
                                                .setName("n")
                                                .setOp("NoOp")
                                                .addInput("^odd"))
                                        .addNode(NodeDef.newBuilder()
                                                .setName("fine")
                                                .setOp("NoOp")))
                                .build());
                run(p, partly, "fine");
                assertCode(ErrorCode.NOT_FOUND, () -> run(p, partly, "n"));
                String handle = call(
                        p,
                        CreateSessionRequest.newBuilder()
                                .setGraphDef(GraphExporter.write(graph))
                                .build());
                assertCode(ErrorCode.NOT_FOUND, () -> run(p, handle, "no such node"));
                GraphDef.Builder large = GraphDef.newBuilder();
                for (int i = 0; i < 100_000; i++)
                    large.addNode(NodeDef.newBuilder().setName("n" + i).setOp("NoOp"));
                String big = call(
                        p, CreateSessionRequest.newBuilder().setGraphDef(large).build());
                run(p, big, "n99999");
            }
            assertCode(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> s.feed(x.edge(), Tensor.of(Shape.of(3), 1f, 2f, 3f))
                            .fetch(y.edge())
                            .run());
            assertCode(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> s.feed(x.edge(), Tensor.of(Shape.of(2), 1, 2))
                            .fetch(y.edge())
                            .run());
            try (Results r = s.feed(x.edge(), Tensor.of(Shape.of(2), 1f, 2f))
                    .fetch(y.edge())
                    .run()) {
                assertEquals(3f, r.get(0).floats()[1]);
            }
        }
    }

    private static void assertCode(ErrorCode code, Runnable what) {
        OxbowException e = assertThrows(OxbowException.class, what::run);
        assertEquals(code, e.code(), e.getMessage());
    }

    /** Bytes that are no HTTP/2, or begin as such and go on otherwise. */
    private static void noise(int port, int seed) throws IOException {
        Random random = new Random(seed);
        byte[] bytes = new byte[random.nextInt(4_000)];
        random.nextBytes(bytes);
        try (Socket socket = new Socket("127.0.0.1", port)) {
            if (seed % 2 == 0) socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes());
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            assertTrue(e.getMessage() != null); // the server hung up on noise, as it may
        }
    }
}
