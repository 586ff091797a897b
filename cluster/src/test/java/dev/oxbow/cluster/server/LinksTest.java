package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.link.LinkOptions;
import dev.oxbow.cluster.link.Way;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.server.LocalCluster.Links;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphOptions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LinksTest {
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private static LocalCluster start(ServerOptions options) {
        return LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", 2)), options, Links.MESSAGES);
    }

    private Value on(int task, Value x, UnaryOperator<Value> f) {
        try (var _ = graph.device("/job:worker/task:" + task)) {
            return f.apply(x);
        }
    }

    private static Traffic.Count count(LocalCluster c, int task, String what) {
        return c.server("worker", task).traffic().counts().get(what);
    }

    @Test
    void aValueGoesFromTaskToTaskAndBackAThousandTimesInOneStep() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2)), y = x;
        int times = 1000;
        for (int i = 0; i < times; i++) y = on(i % 2, y, v -> v.plus(1));
        try (LocalCluster c = start(OPTIONS);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults());
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(2), 0f, 0.5f))
                        .fetch(y.edge())
                        .run()) {
            assertArrayEquals(new float[] {1000, 1000.5f}, r.get(0).floats());
            assertEquals(
                    times - 1,
                    count(c, 0, "Want").requests() + count(c, 1, "Want").requests());
            assertEquals(
                    0,
                    count(c, 0, "RecvTensor").requests()
                            + count(c, 1, "RecvTensor").requests());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1 << 12, 1 << 20})
    void valuesOfAllSizesArriveWholeThroughRingsAndWithoutThem(long ring) {
        ServerOptions options = OPTIONS.withLinks(LinkOptions.defaults().withLaneBytes(ring));
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1)), y = on(0, on(1, x, v -> v.times(2)), v -> v.plus(1));
        try (LocalCluster c = start(options);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            for (int n : new int[] {0, 1, 4095, 4096, 4097, 1 << 18, (1 << 20) + 3}) {
                float[] in = new float[n], out = new float[n];
                for (int i = 0; i < n; i++) in[i] = i % 1000;
                for (int i = 0; i < n; i++) out[i] = 2 * in[i] + 1;
                try (Results r = s.feed(x.edge(), Tensor.of(Shape.of(n), in))
                        .fetch(y.edge())
                        .run()) {
                    assertArrayEquals(out, r.get(0).floats(), n + " elements");
                }
            }
        }
    }

    @Test
    void aLargeValueIsCopiedOnceOnEachSide() {
        int n = 4 << 20;
        Value x = ops.placeholder("x", DType.F32, Shape.of(n)), y = on(0, on(1, x, v -> v.times(2)), v -> v.plus(1));
        try (LocalCluster c = start(OPTIONS);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            for (int i = 0; i < 3; i++)
                s.feed(x.edge(), Tensor.zeros(DType.F32, Shape.of(n)))
                        .fetch(y.edge())
                        .run()
                        .close();
            long content = 3 * 4L * n;
            assertEquals(content, count(c, 1, "Want").answeredBytes());
            for (int task = 0; task < 2; task++) {
                long copied = c.server("worker", task).links().copied();
                assertTrue(copied >= content && copied < content * 1.001, copied + " bytes were copied of " + content);
            }
        }
    }

    @Test
    void aHundredMegabytesThatNobodyWantsYetDoNotStandBeforeAScalarThatSomebodyWaitsFor() throws Exception {
        Tensor large = Tensor.zeros(DType.F32, Shape.of(25 << 20)), small = Tensor.scalar(3f);
        Map<String, Tensor> there = Map.of("large", large, "small", small); // in this order, as a step has sent them
        Traffic traffic = new Traffic();
        try (var has = new dev.oxbow.cluster.link.Links(
                        "/job:worker/replica:0/task:1",
                        7,
                        "127.0.0.1",
                        Security.NONE,
                        false,
                        LinkOptions.defaults(),
                        (_, key, _, then) ->
                                then.accept(there.get(key).view(there.get(key).shape()), null),
                        traffic);
                var asks = new dev.oxbow.cluster.link.Links(
                        "/job:worker/replica:0/task:0",
                        5,
                        "127.0.0.1",
                        Security.NONE,
                        false,
                        LinkOptions.defaults(),
                        (_, _, _, then) -> then.accept(null, new IllegalStateException("nothing is here")),
                        new Traffic())) {
            Way way = asks.to(
                    "/job:worker/replica:0/task:1",
                    then -> then.accept(new Way.Place(new InetSocketAddress("127.0.0.1", has.port()), 7), null),
                    (_, _, _, then) -> then.accept(null, new IllegalStateException("by a call")));
            long before = MemoryPool.shared().bytesInUse();
            Tensor got = wanted(way, "small");
            assertEquals(3f, got.floats()[0]);
            got.release();
            assertEquals(0, asks.copied(), "of what nobody asked for nothing came");
            assertEquals(4, traffic.counts().get("Want").answeredBytes());
            assertTrue(MemoryPool.shared().bytesInUse() - before < 1 << 20, "and nothing is held for it");
            got = wanted(way, "large");
            assertEquals(large.byteSize(), got.byteSize());
            got.release();
            assertTrue(asks.copied() >= large.byteSize(), "until it is asked for");
        }
        large.close();
    }

    @Test
    void whatIsWantedEndsWhenTheThreadOfTheLinksFails() {
        String zero = "/job:worker/replica:0/task:0", one = "/job:worker/replica:0/task:1";
        Way.Calls nothing = (_, _, _, then) -> then.accept(null, new IllegalStateException("nothing is here"));
        Way.Calls broken = (_, _, _, _) -> {
            throw new AssertionError("the test says so");
        };
        try (var has = links(one, 7, broken);
                var asks = links(zero, 5, nothing)) {
            Way there = asks.to(one, then -> then.accept(place(has, 7), null), nothing);
            Way back = has.to(zero, then -> then.accept(place(asks, 5), null), nothing);
            OxbowException lost = failure(there);
            assertEquals(ErrorCode.UNAVAILABLE, lost.code(), lost.getMessage());
            assertEquals(one, lost.task());
            OxbowException late = failure(back);
            assertEquals(ErrorCode.INTERNAL, late.code(), late.getMessage());
            assertTrue(late.text().startsWith("the links of " + one + " have ended: "), late.text());
        }
    }

    @Test
    void whatIsGivenUpInTheMomentInWhichItIsAskedForEnds() throws Exception {
        String zero = "/job:worker/replica:0/task:0", one = "/job:worker/replica:0/task:1";
        Way.Calls nobody = (_, _, c, then) -> c.register(why -> then.accept(null, why));
        try (var has = links(one, 7, nobody);
                var asks = links(zero, 5, nobody)) {
            Way way = asks.to(one, then -> then.accept(place(has, 7), null), nobody);
            List<CompletableFuture<Throwable>> ends = new ArrayList<>();
            AtomicReference<Cancellation> next = new AtomicReference<>();
            Thread cancels = Thread.ofPlatform().daemon().start(() -> {
                while (!Thread.interrupted()) {
                    Cancellation c = next.getAndSet(null);
                    if (c != null) c.cancel(ErrorCode.CANCELLED, "enough");
                }
            });
            for (int i = 0; i < 10_000; i++) {
                Cancellation c = new Cancellation();
                CompletableFuture<Throwable> end = new CompletableFuture<>();
                next.set(c);
                for (int spin = i % 100; spin > 0; spin--) Thread.onSpinWait();
                way.receive(i, "any", c, (_, error) -> end.complete(error));
                ends.add(end);
                while (next.get() != null) Thread.onSpinWait();
            }
            cancels.interrupt();
            for (int i = 0; i < ends.size(); i++)
                assertEquals("enough", ends.get(i).get(120, TimeUnit.SECONDS).getMessage(), "value " + i);
        }
    }

    private static OxbowException failure(Way way) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> wanted(way, "any"));
        return (OxbowException) e.getCause();
    }

    private static Way.Place place(dev.oxbow.cluster.link.Links at, long incarnation) {
        return new Way.Place(new InetSocketAddress("127.0.0.1", at.port()), incarnation);
    }

    private static dev.oxbow.cluster.link.Links links(String task, long incarnation, Way.Calls source) {
        return new dev.oxbow.cluster.link.Links(
                task, incarnation, "127.0.0.1", Security.NONE, false, LinkOptions.defaults(), source, new Traffic());
    }

    private static Tensor wanted(Way way, String key) throws Exception {
        CompletableFuture<Tensor> came = new CompletableFuture<>();
        way.receive(1, key, null, (value, error) -> {
            if (error != null) came.completeExceptionally(error);
            else came.complete(value);
        });
        return came.get(120, TimeUnit.SECONDS);
    }

    @Test
    void textTravelsToo() {
        Value name = ops.placeholder("name", DType.STRING, Shape.of(2));
        Value there = on(1, name, v -> v.reshape(2, 1)), back = on(0, there, v -> v.reshape(1, 2));
        try (LocalCluster c = start(OPTIONS);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults());
                Results r = s.feed(name.edge(), Tensor.of(Shape.of(2), "one", "x".repeat(100_000)))
                        .fetch(back.edge())
                        .run()) {
            assertEquals(1, count(c, 1, "Want").requests());
            assertEquals("one", r.get(0).strings().get(0));
            assertEquals("x".repeat(100_000), r.get(0).strings().get(1));
        }
    }

    private static float truncated(float x) {
        return Float.intBitsToFloat(Float.floatToRawIntBits(x) & 0xFFFF0000);
    }

    @Test
    void chosenValuesGoBetweenTasksWithoutTheirLowBits() {
        int n = 10_000;
        Value x = ops.placeholder("x", DType.F32, Shape.of(n)), cut, whole;
        try (var _ = graph.truncated()) {
            cut = on(1, x, v -> v.times(1.1));
        }
        whole = on(1, x, v -> v.times(1.3));
        Value gotCut = on(0, cut, Value::negated), gotWhole = on(0, whole, Value::negated);
        float[] in = new float[n], first = new float[n], second = new float[n];
        for (int i = 0; i < n; i++) in[i] = (float) Math.sin(i) * i;
        for (int i = 0; i < n; i++) first[i] = -truncated(in[i] * 1.1f);
        for (int i = 0; i < n; i++) second[i] = -(in[i] * 1.3f);
        try (LocalCluster c = start(OPTIONS);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults());
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(n), in))
                        .fetch(gotCut.edge(), gotWhole.edge())
                        .run()) {
            assertArrayEquals(first, r.get(0).floats());
            assertArrayEquals(second, r.get(1).floats());
            assertEquals(6L * n, count(c, 1, "Want").answeredBytes());
        }
    }

    @Test
    void aSessionCanAskThatForAllValues() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(3)), y = on(0, on(1, x, v -> v.times(2)), Value::negated);
        ConfigProto config = ConfigProto.newBuilder()
                .setGraphOptions(GraphOptions.newBuilder().setEnableBfloat16Sendrecv(true))
                .build();
        float[] in = {1.2345678f, Float.POSITIVE_INFINITY, 1e-40f};
        try (LocalCluster c = start(OPTIONS);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withService(ConfigProto.class, config));
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(3), in))
                        .fetch(y.edge())
                        .run()) {
            float[] want = new float[3];
            for (int i = 0; i < 3; i++) want[i] = -truncated(2 * in[i]);
            assertArrayEquals(want, r.get(0).floats());
        }
    }
}
