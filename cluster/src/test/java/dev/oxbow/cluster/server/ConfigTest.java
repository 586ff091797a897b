package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
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
import dev.oxbow.wire.proto.DeviceAttributes;
import dev.oxbow.wire.proto.ListDevicesRequest;
import dev.oxbow.wire.proto.ResetRequest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a session is opened with: filters, deadlines, isolation, logs; and containers that are reset. */
@Timeout(300)
final class ConfigTest {
    private static final ServerOptions OPTIONS =
            ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private static String task(int number) {
        return "/job:worker/replica:0/task:" + number;
    }

    private static Server start(ClusterSpec spec, int task) {
        return new Server(spec, new TaskName("worker", task), OPTIONS);
    }

    private Session open(Server s, ConfigProto.Builder config) {
        return Session.open(
                s.target(), graph, SessionOptions.defaults().withService(ConfigProto.class, config.build()));
    }

    private static float number(Session s, Value v) {
        try (Results r = s.fetch(v.edge()).run()) {
            return r.get(0).floats()[0];
        }
    }

    private static OxbowException failure(ErrorCode code, Runnable what) {
        OxbowException e = assertThrows(OxbowException.class, what::run);
        assertEquals(code, e.code(), e.getMessage());
        return e;
    }

    private interface Work {
        void run() throws Exception;
    }

    /** What is written to the log until {@code wanted} stands there and the work is done. */
    private static String logged(String wanted, Work work) throws Exception {
        PrintStream before = System.err;
        CompletableFuture<Void> there = new CompletableFuture<>();
        ByteArrayOutputStream log = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] b, int from, int length) {
                super.write(b, from, length);
                if (toString(StandardCharsets.UTF_8).contains(wanted)) there.complete(null);
            }
        };
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            work.run();
            there.orTimeout(120, TimeUnit.SECONDS).exceptionally(_ -> null).join();
        } finally {
            System.setErr(before);
        }
        assertTrue(there.isDone() && !there.isCompletedExceptionally(), () -> wanted + " is not in " + log);
        return log.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aSessionWaitsForTasksThatAreNotUpAndTheLogNamesThem() throws Exception {
        Value y;
        try (var _ = graph.device(task(1))) {
            y = ops.constant(20f).plus(1);
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 3));
        CompletableFuture<Float> end = new CompletableFuture<>();
        try (Server first = start(spec, 0);
                Server _ = start(spec, 2)) {
            String log = logged(
                    "still waiting",
                    () -> Thread.ofVirtual().start(() -> {
                        try (Session s = open(first, ConfigProto.newBuilder())) {
                            end.complete(number(s, y));
                        } catch (Throwable e) {
                            end.completeExceptionally(e);
                        }
                    }));
            assertTrue(
                    log.contains("CreateSession still waiting for response from worker: [" + task(1) + "]")
                            || log.contains(task(1) + ", " + task(2) + "]"), // the first look may have been early
                    log);
            assertTrue(!end.isDone());
            try (Server _ = start(spec, 1)) {
                assertEquals(21f, end.get(60, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void filtersKeepASessionFromTasksThatAreNotUp() {
        Value here, there;
        try (var _ = graph.device(task(1))) {
            here = ops.constant(1f).plus(2);
        }
        try (var _ = graph.device(task(2))) {
            there = ops.constant(1f).plus(3);
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 3));
        try (Server first = start(spec, 0);
                Server _ = start(spec, 1);
                Session s = open(
                        first,
                        ConfigProto.newBuilder()
                                .addDeviceFilters("/job:worker/task:0")
                                .addDeviceFilters("/job:worker/task:1"))) {
            assertEquals(3f, number(s, here));
            OxbowException e = failure(ErrorCode.INVALID_ARGUMENT, () -> number(s, there));
            assertTrue(e.getMessage().contains("/task:2"), e.getMessage());
        }
    }

    @Test
    void aTaskThatIsMissingBeyondTheTimeoutIsNamed() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        try (Server first = start(spec, 0)) {
            OxbowException e = failure(
                    ErrorCode.DEADLINE_EXCEEDED,
                    () -> open(first, ConfigProto.newBuilder().setOperationTimeoutInMs(300)));
            assertTrue(e.getMessage().contains("[" + task(1) + "] did not come up within 300 ms"), e.getMessage());
        }
    }

    @Test
    void theTimeoutOfASessionEndsItsSteps() {
        Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                .getFirst();
        Value got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        try (Server server = start(LocalCluster.onFreePorts(Map.of("worker", 1)), 0);
                Session s = open(server, ConfigProto.newBuilder().setOperationTimeoutInMs(200))) {
            OxbowException e = failure(ErrorCode.DEADLINE_EXCEEDED, () -> number(s, got));
            assertTrue(e.getMessage().contains("200 ms"), e.getMessage());
            assertTrue(server.localWorker().steps().await(n -> n == 0, Duration.ofSeconds(120)));
        }
    }

    @Test
    void theLogSaysWhereEachNodeRunsWhenAskedFor() throws Exception {
        Value fed = ops.placeholder("fed", DType.F32, Shape.SCALAR), x, y;
        try (var _ = graph.device(task(1))) {
            x = fed.plus(2);
        }
        try (var _ = graph.device(task(0))) {
            y = x.tanh();
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        try (Server first = start(spec, 0);
                Server _ = start(spec, 1);
                Session s = open(first, ConfigProto.newBuilder().setLogDevicePlacement(true))) {
            String line = y.edge().node().name() + ": (Tanh): " + task(0) + "/device:CPU:0";
            String log = logged(
                    line,
                    () -> s.feed(fed.edge(), Tensor.scalar(1f))
                            .fetch(y.edge())
                            .run()
                            .close());
            assertTrue(log.contains(x.edge().node().name() + ": (AddV2): " + task(1) + "/device:CPU:0"), log);
        }
    }

    @Test
    void isolatedSessionsShareNoVariablesAndOthersDo() {
        Parameter v = Parameter.of("v", ops.constant(4f));
        try (Server server = start(LocalCluster.onFreePorts(Map.of("worker", 1)), 0);
                Session a = open(server, ConfigProto.newBuilder());
                Session b = open(server, ConfigProto.newBuilder());
                Session alone = open(server, ConfigProto.newBuilder().setIsolateSessionState(true))) {
            a.target(v.initialiser()).run().close();
            assertEquals(4f, number(b, v.value()));
            failure(ErrorCode.FAILED_PRECONDITION, () -> number(alone, v.value()));
        }
    }

    /** A variable of a container. */
    private Node[] variable(String container) {
        Node handle = graph.add(new VarHandleOp(container, "v", "", DType.F32, Shape.SCALAR, List.of()), List.of());
        return new Node[] {
            graph.add(
                    new AssignVariableOp(false),
                    List.of(handle.edge(0), ops.constant(6f).edge())),
            graph.add(new ReadVariableOp(DType.F32), List.of(handle.edge(0)))
        };
    }

    @Test
    void someContainersAreResetOnAllTasksAndOthersKept() {
        Node[] a, b;
        try (var _ = graph.device(task(1))) {
            a = variable("a");
            b = variable("b");
        }
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        try (Server first = start(spec, 0);
                Server _ = start(spec, 1);
                RawClient raw = new RawClient(first);
                Session before = open(first, ConfigProto.newBuilder())) {
            before.target(a[0], b[0]).run().close();
            raw.ask(Methods.RESET, ResetRequest.newBuilder().addContainer("a").build());
            failure(ErrorCode.ABORTED, () -> number(before, Value.of(b[1].edge(0)))); // a reset ends sessions
            try (Session after = open(first, ConfigProto.newBuilder())) {
                assertEquals(6f, number(after, Value.of(b[1].edge(0))));
                failure(ErrorCode.FAILED_PRECONDITION, () -> number(after, Value.of(a[1].edge(0))));
            }
        }
    }

    @Test
    void theDevicesOfAllTasksAreListed() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        try (Server first = start(spec, 0);
                Server _ = start(spec, 1);
                RawClient raw = new RawClient(first)) {
            var all = raw.ask(Methods.LIST_DEVICES, ListDevicesRequest.getDefaultInstance());
            assertEquals(List.of(task(0) + "/device:CPU:0"), names(all.getLocalDeviceList()));
            assertEquals(List.of(task(1) + "/device:CPU:0"), names(all.getRemoteDeviceList()));
        }
    }

    private static List<String> names(List<DeviceAttributes> all) {
        return all.stream().map(DeviceAttributes::getName).toList();
    }
}
