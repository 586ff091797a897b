package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
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
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.DeviceAttributes;
import dev.oxbow.wire.proto.RecvBufRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TensorFlow's collective ops, on devices of one task and of several. */
@Timeout(300)
final class CollectivesTest {
    /** On a busy machine a new process may be silent for long; nobody is lost here. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Graph graph = new Graph();

    /** Where the members of a group are. */
    enum Places {
        ONE_TASK(1, 3, LocalCluster.Links.CALLS),
        CALLS(3, 1, LocalCluster.Links.CALLS),
        MESSAGES(3, 1, LocalCluster.Links.MESSAGES),
        PROCESSES(3, 1, LocalCluster.Links.PROCESSES),
        TWO_EACH(2, 2, LocalCluster.Links.MESSAGES);

        final int tasks;
        final int devices;
        final LocalCluster.Links links;

        Places(int tasks, int devices, LocalCluster.Links links) {
            this.tasks = tasks;
            this.devices = devices;
            this.links = links;
        }

        int size() {
            return tasks * devices;
        }

        String device(int rank) {
            return "/job:worker/task:%d/device:CPU:%d".formatted(rank / devices, rank % devices);
        }

        LocalCluster start() {
            return LocalCluster.start(
                    LocalCluster.onFreePorts(Map.of("worker", tasks)),
                    ServerOptions.defaults()
                            .withEngine(EngineOptions.defaults().withCpuDevices(devices))
                            .withLostAfter(PATIENCE),
                    links);
        }
    }

    private Edge add(String op, Map<String, Object> attributes, Edge... inputs) {
        return graph.add(OpRegistry.get().definition(op).create(attributes), List.of(inputs))
                .edge(0);
    }

    private Edge constant(Tensor t) {
        return graph.add(new Const(t), List.of()).edge(0);
    }

    private static Map<String, Object> keys(int size, int group, int instance, Object... more) {
        Map<String, Object> all = new LinkedHashMap<>(
                Map.of("group_size", (long) size, "group_key", (long) group, "instance_key", (long) instance));
        for (int i = 0; i < more.length; i += 2) all.put((String) more[i], more[i + 1]);
        return all;
    }

    /** The same op on every device, given its rank. */
    private List<Edge> each(Places p, IntFunction<Edge> make) {
        List<Edge> all = new ArrayList<>();
        for (int r = 0; r < p.size(); r++)
            try (var _ = graph.device(p.device(r))) {
                all.add(make.apply(r));
            }
        return all;
    }

    private static Session open(LocalCluster c, Graph g) {
        return Session.open(c.target(), g, SessionOptions.defaults().withLostAfter(PATIENCE));
    }

    private List<Tensor> run(Places p, List<Edge> ys) {
        try (LocalCluster c = p.start();
                Session s = open(c, graph);
                Results r = s.fetch(ys.toArray(Edge[]::new)).run()) {
            return r.stream().map(Tensor::retain).toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void allGetTheSumOfAllStepAfterStep(Places p) {
        int n = 10_007;
        List<Edge> xs = each(
                p,
                _ -> graph.add(new Placeholder(DType.F32, Shape.of(n)), List.of())
                        .edge(0));
        List<Edge> ys = each(
                p,
                r -> add(
                        "CollectiveReduce",
                        keys(p.size(), 1, 7, "merge_op", "Add", "final_op", "Div", "subdiv_offsets", List.of(0L)),
                        xs.get(r)));
        try (LocalCluster c = p.start();
                Session s = open(c, graph)) {
            for (int step = 0; step < 5; step++) {
                var run = s.fetch(ys.toArray(Edge[]::new));
                float[] expected = new float[n];
                for (int r = 0; r < p.size(); r++) {
                    float[] x = new float[n];
                    for (int i = 0; i < n; i++) {
                        x[i] = (r + 1) * (i % 13) + step;
                        expected[i] += x[i];
                    }
                    run = run.feed(xs.get(r), Tensor.of(Shape.of(n), x));
                }
                for (int i = 0; i < n; i++) expected[i] /= p.size();
                try (Results got = run.run()) {
                    for (Tensor t : got) assertArrayEquals(expected, t.floats(), 1e-4f);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_TASK", "MESSAGES"})
    void rowsAreGatheredScatteredAndExchangedInTheOrderOfRanks(Places p) {
        int n = p.size();
        Edge size = constant(Tensor.scalar(n)), group = constant(Tensor.scalar(5));
        List<Edge> ys = new ArrayList<>();
        ys.addAll(each(
                p,
                r -> add(
                        "CollectiveGatherV2",
                        Map.of(),
                        constant(Tensor.of(Shape.of(1, 2), r, 10 * r)),
                        size,
                        group,
                        constant(Tensor.scalar(1)))));
        ys.addAll(each(
                p,
                r -> add(
                        "CollectiveReduceScatterV2",
                        Map.of("merge_op", "Max", "final_op", "Id"),
                        constant(Tensor.of(
                                Shape.of(n),
                                IntStream.range(0, n)
                                        .mapToLong(i -> i == r ? 100 + i : r)
                                        .toArray())),
                        size,
                        group,
                        constant(Tensor.scalar(2)))));
        ys.addAll(each(
                p,
                r -> add(
                        "CollectiveAllToAllV2",
                        Map.of(),
                        constant(Tensor.of(
                                Shape.of(n),
                                IntStream.range(0, n)
                                        .mapToDouble(i -> 10 * r + i)
                                        .toArray())),
                        size,
                        group,
                        constant(Tensor.scalar(3)))));
        List<Tensor> out = run(p, ys);
        for (int r = 0; r < n; r++) {
            int rank = r;
            assertEquals(Shape.of(n, 2), out.get(r).shape());
            assertArrayEquals(
                    IntStream.range(0, 2 * n)
                            .map(i -> i % 2 == 0 ? i / 2 : 10 * (i / 2))
                            .toArray(),
                    out.get(r).ints());
            assertArrayEquals(new long[] {100 + r}, out.get(n + r).longs());
            assertArrayEquals(
                    IntStream.range(0, n).mapToDouble(i -> 10 * i + rank).toArray(),
                    out.get(2 * n + r).doubles());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_TASK", "MESSAGES"})
    void oneSendsAndTheOthersReceive(Places p) {
        List<Edge> ys = each(
                p,
                r -> r == 1
                        ? add(
                                "CollectiveBcastSend",
                                keys(p.size(), 2, 1, "shape", Shape.of(2)),
                                constant(Tensor.of(Shape.of(2), true, false)))
                        : add("CollectiveBcastRecv", keys(p.size(), 2, 1, "shape", Shape.of(2), "T", DType.BOOL)));
        for (Tensor t : run(p, ys)) assertArrayEquals(new boolean[] {true, false}, t.booleans());
    }

    @Test
    void aCommunicatorHasRanksAsAskedForAndReducesWithinRows() {
        Places p = Places.TWO_EACH;
        Edge rows = constant(Tensor.of(Shape.of(2, 2), 0, 2, 1, 3)), key = constant(Tensor.scalar(9));
        Edge size = constant(Tensor.scalar(4));
        List<Edge> ys = each(p, r -> {
            Edge rank = constant(Tensor.scalar(3 - r));
            Edge communicator = add("CollectiveInitializeCommunicator", Map.of(), key, rank, size);
            return add(
                    "CollectiveReduceV3",
                    Map.of("reduction", "Add"),
                    constant(Tensor.scalar((float) Math.pow(10, 3 - r))),
                    communicator,
                    rows);
        });
        List<Tensor> out = run(p, ys);
        for (int r = 0; r < 4; r++)
            assertEquals((3 - r) % 2 == 0 ? 101 : 1010, out.get(r).floats()[0]);
    }

    @Test
    void sessionsOfDifferentMastersMeet() throws Exception {
        try (LocalCluster c = Places.MESSAGES.start()) {
            List<CompletableFuture<float[]>> all = new ArrayList<>();
            for (int r = 0; r < 3; r++) {
                int rank = r;
                all.add(CompletableFuture.supplyAsync(
                        () -> {
                            CollectivesTest own = new CollectivesTest();
                            Edge y;
                            try (var _ = own.graph.device("/job:worker/task:" + rank)) {
                                y = own.add(
                                        "CollectiveReduce",
                                        keys(3, 1, 1, "merge_op", "Mul", "final_op", "Id", "subdiv_offsets", List.of()),
                                        own.constant(Tensor.of(Shape.of(2), rank + 2f, 1f)));
                            }
                            String target = c.server("worker", rank).target();
                            float[] last = null;
                            try (Session s = Session.open(target, own.graph, SessionOptions.defaults())) {
                                for (int i = 0; i < 3; i++)
                                    try (Results got = s.fetch(y).run()) {
                                        last = got.get(0).floats();
                                    }
                            }
                            return last;
                        },
                        Thread::startVirtualThread));
            }
            for (var f : all) assertArrayEquals(new float[] {24, 1}, f.get());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoDoesNotComeIsNamed(boolean formed) {
        Places p = Places.MESSAGES;
        Map<String, Object> op =
                keys(3, 1, 4, "merge_op", "Add", "final_op", "Id", "subdiv_offsets", List.of(), "timeout_seconds", 3f);
        List<Edge> ys = each(p, _ -> add("CollectiveReduce", op, constant(Tensor.scalar(1f))));
        try (LocalCluster c = p.start();
                Session s = open(c, graph)) {
            if (formed) s.fetch(ys.toArray(Edge[]::new)).run().close();
            var e = assertThrows(
                    OxbowException.class, () -> s.fetch(ys.get(0), ys.get(2)).run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            String expected = formed
                    ? "group 1, instance 4: after 3.0 s these have not come: \\[.*/job:worker/replica:0/task:1/device:CPU:0"
                    : "after 3.0 s only .* no device has come of \\[.*/job:worker/replica:0/task:1";
            assertTrue(Pattern.compile(expected).matcher(e.getMessage()).find(), e::getMessage);
            s.fetch(ys.toArray(Edge[]::new)).run().close();
        }
    }

    @Test
    void aStepThatIsCancelledLeavesNobodyBehind() {
        Places p = Places.MESSAGES;
        List<Edge> ys = each(
                p,
                _ -> add(
                        "CollectiveReduce",
                        keys(3, 1, 4, "merge_op", "Add", "final_op", "Id", "subdiv_offsets", List.of()),
                        constant(Tensor.scalar(1f))));
        try (LocalCluster c = p.start();
                Session s = open(c, graph)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(ys.get(1))
                            .options(RunOptions.timeout(Duration.ofMillis(300)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            try (Results r = s.fetch(ys.toArray(Edge[]::new)).run()) {
                assertEquals(3, r.get(1).floats()[0]);
            }
        }
    }

    @Test
    void whoDoesSomethingElseIsNamed() {
        Places p = Places.ONE_TASK;
        List<Edge> ys = each(
                p,
                r -> add(
                        "CollectiveReduce",
                        keys(3, 1, 4, "merge_op", "Add", "final_op", "Id", "subdiv_offsets", List.of()),
                        constant(Tensor.of(Shape.of(r == 2 ? 3 : 2), new float[r == 2 ? 3 : 2]))));
        var e = assertThrows(OxbowException.class, () -> run(p, ys));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertTrue(e.getMessage().contains("REDUCE by Add of f32[3]"), e::getMessage);
        assertTrue(e.getMessage().contains("REDUCE by Add of f32[2]"), e::getMessage);
    }

    @Test
    void devicesOfTensorFlowsTasksAreRefusedByName() {
        try (LocalCluster c = Places.MESSAGES.start();
                RawClient client = new RawClient(c.server("worker", 0))) {
            var device = DeviceAttributes.newBuilder().setName("/job:worker/replica:0/task:2/device:CPU:0");
            var e = assertThrows(
                    OxbowException.class,
                    () -> client.ask(
                            Methods.COMPLETE_GROUP,
                            CompleteGroupRequest.newBuilder()
                                    .setGroupKey(1)
                                    .setGroupSize(2)
                                    .setDeviceAttributes(device)
                                    .build()));
            assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
            assertTrue(e.getMessage().contains(device.getName()), e::getMessage);
            e = assertThrows(
                    OxbowException.class,
                    () -> client.ask(
                            Methods.COMPLETE_INSTANCE,
                            CompleteInstanceRequest.newBuilder()
                                    .setDevice(device.getName())
                                    .build()));
            assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
        }
    }

    @Test
    void bytesOfAnotherLifeAreNotGivenOut() {
        try (LocalCluster c = Places.MESSAGES.start();
                RawClient client = new RawClient(c.server("worker", 0))) {
            String device = "/job:worker/replica:0/task:0/device:CPU:0";
            String key = new RendezvousKey(device, 1, device, "x", 0, 0).toString();
            var e = assertThrows(
                    OxbowException.class,
                    () -> client.ask(
                            Methods.RECV_BUF,
                            RecvBufRequest.newBuilder()
                                    .setStepId(1)
                                    .setBufRendezvousKey(key)
                                    .build()));
            assertEquals(ErrorCode.ABORTED, e.code());
        }
    }
}
