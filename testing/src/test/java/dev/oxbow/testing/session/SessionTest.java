package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.ControlFlow;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** What a session promises: cuts, state, concurrency, deadlines, errors that name their node. */
@Timeout(300)
final class SessionTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void onlyWhatTheFetchesNeedIsExecuted() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR),
                neverFed = ops.placeholder("never", DType.F32, Shape.SCALAR);
        Value y = x.times(2), z = y.plus(neverFed);
        try (Session s = Session.open(graph)) {
            assertEquals(
                    6,
                    scalar(s.feed(x.edge(), Tensor.scalar(3f)).fetch(y.edge()).run()));
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), Tensor.scalar(3f)).fetch(z.edge()).run());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(
                    e.getMessage().contains("'never'") && e.getMessage().contains("SessionTest.java"), e.getMessage());
        }
    }

    @Test
    void aRunOfNothingDoesNothing() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
        Session s = Session.open(graph, EngineOptions.defaults().withCpuDevices(2));
        try (s) {
            assertEquals(List.of(), s.target().run());
            assertEquals(List.of(), s.feed(x.edge(), Tensor.scalar(3f)).run());
            assertEquals(List.of(), s.run(Map.of(), List.of(), List.of()));
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), Tensor.scalar(3)).run());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        }
        var e = assertThrows(OxbowException.class, () -> s.target().run());
        assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
    }

    @Test
    void feedingAValueCutsOffEverythingAboveIt() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
        Value y = x.times(2), z = y.plus(1);
        try (Session s = Session.open(graph)) {
            assertEquals(
                    11,
                    scalar(s.feed(y.edge(), Tensor.scalar(10f)).fetch(z.edge()).run()));
        }
    }

    @Test
    void aGraphMayGrowBetweenRuns() {
        Value x = ops.constant(2f);
        try (Session s = Session.open(graph)) {
            assertEquals(4, scalar(s.fetch(x.times(2).edge()).run()));
            assertEquals(6, scalar(s.fetch(x.times(3).edge()).run()));
        }
    }

    @Test
    void variablesSurviveRunsAndAreSharedByNameUntilReset() {
        Parameter v = Parameter.of("v", ops.constant(5f));
        Node add = graph.add(
                Ops.named("AssignAddVariableOp", Map.of()),
                List.of(v.handle().edge(), ops.constant(1f).edge()));
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            try (Session a = Session.open(graph, engine)) {
                a.target(v.initialiser()).run();
                a.target(add).run();
            }
            try (Session b = Session.open(graph, engine)) {
                assertEquals(6, scalar(b.fetch(v.value().edge()).run()));
                engine.reset();
                var e = assertThrows(
                        OxbowException.class, () -> b.fetch(v.value().edge()).run());
                assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            }
        }
    }

    @Test
    void aPartialRunKeepsItsValuesBetweenCalls() {
        Value a = ops.placeholder("a", DType.F32, Shape.SCALAR),
                b = ops.placeholder("b", DType.F32, Shape.SCALAR),
                c = ops.placeholder("c", DType.F32, Shape.SCALAR);
        Value first = a.plus(b), second = first.times(c);
        try (Session s = Session.open(graph);
                PartialRun run = s.partialRun(
                        List.of("a:0", "b:0", "c:0"),
                        List.of(first.edge().name(), second.edge().name()),
                        List.of())) {
            Duration limit = Duration.ofSeconds(20);
            var e = assertThrows(
                    OxbowException.class,
                    () -> run.run(
                            Map.of("a:0", Tensor.scalar(1f)),
                            List.of(first.edge().name()),
                            limit));
            assertTrue(e.getMessage().contains("needs b:0, which was not fed"), e.getMessage());
            assertEquals(
                    3,
                    scalar(run.run(
                            Map.of("a:0", Tensor.scalar(1f), "b:0", Tensor.scalar(2f)),
                            List.of(first.edge().name()),
                            limit)));
            e = assertThrows(OxbowException.class, () -> run.run(Map.of("a:0", Tensor.scalar(1f)), List.of(), limit));
            assertEquals("partial run: a:0 was fed already", e.getMessage());
            assertEquals(
                    51,
                    scalar(run.run(
                            Map.of("c:0", Tensor.scalar(17f)),
                            List.of(second.edge().name()),
                            limit)));
        }
    }

    @Test
    void runsFromManyThreadsOverlap() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));
        Value y = x.matMul(x).plus(1).relu().sum();
        try (Session s = Session.open(graph);
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Float>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                float v = i % 7;
                results.add(threads.submit(() -> {
                    float[] values = new float[64 * 64];
                    Arrays.fill(values, v);
                    return scalar(s.feed(x.edge(), Tensor.of(Shape.of(64, 64), values))
                            .fetch(y.edge())
                            .run());
                }));
            }
            for (int i = 0; i < 200; i++)
                assertEquals(
                        64 * 64 * (64f * (i % 7) * (i % 7) + 1), results.get(i).get(), 1);
        }
    }

    @Test
    void aHundredBlockedDequeuesOnOneThreadLeaveRoomForProgress() throws Exception {
        Edge queue = queue(200);
        Node enqueue = graph.add(
                Ops.named("QueueEnqueueV2", Map.of()),
                List.of(queue, ops.constant(7f).edge()));
        Edge item = graph.add(
                        Ops.named("QueueDequeueV2", Map.of("component_types", List.of(DType.F32))), List.of(queue))
                .edge(0);
        try (Session s = Session.open(graph, EngineOptions.defaults().withThreads(1));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Float>> waiting = new ArrayList<>();
            for (int i = 0; i < 100; i++)
                waiting.add(threads.submit(() -> scalar(s.fetch(item).run())));
            assertEquals(3, scalar(s.fetch(ops.constant(1f).plus(2).edge()).run()));
            for (int i = 0; i < 100; i++) s.target(enqueue).run();
            for (Future<Float> f : waiting) assertEquals(7, f.get());
        }
    }

    @Test
    void aDeadlineEndsAWaitAndTheSessionGoesOn() {
        Edge queue = queue(1);
        Edge item = graph.add(
                        Ops.named("QueueDequeueV2", Map.of("component_types", List.of(DType.F32))), List.of(queue))
                .edge(0);
        Node enqueue = graph.add(
                Ops.named("QueueEnqueueV2", Map.of()),
                List.of(queue, ops.constant(7f).edge()));
        try (Session s = Session.open(graph)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(item)
                            .options(RunOptions.timeout(Duration.ofMillis(50)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            s.target(enqueue).run();
            assertEquals(7, scalar(s.fetch(item).run()));
        }
    }

    @Test
    void cancellingATokenEndsItsRun() throws Exception {
        Edge queue = queue(1);
        Edge item = graph.add(
                        Ops.named("QueueDequeueV2", Map.of("component_types", List.of(DType.F32))), List.of(queue))
                .edge(0);
        Cancellation token = new Cancellation();
        CountDownLatch started = new CountDownLatch(1);
        try (Session s = Session.open(graph);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<OxbowException> failed = thread.submit(() -> {
                started.countDown();
                return assertThrows(
                        OxbowException.class,
                        () -> s.fetch(item).options(new RunOptions(null, token)).run());
            });
            started.await();
            token.cancel(ErrorCode.CANCELLED, "enough");
            assertEquals(ErrorCode.CANCELLED, failed.get().code());
        }
    }

    @Test
    void aFailingNodeFailsItsStepOnceWithItsNameAndLine() {
        Value x = ops.placeholder("x", DType.I32, Shape.of(2));
        Value bad = ops.constant(Tensor.of(Shape.of(3), 1f, 2f, 3f)).gather(x, 0);
        try (Session s = Session.open(graph)) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), Tensor.of(Shape.of(2), 1, 9))
                            .fetch(bad.edge())
                            .run());
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(
                    e.getMessage().contains("9")
                            && e.getMessage().contains("(node GatherV2, made at ")
                            && e.getMessage().contains("SessionTest.java"),
                    e.getMessage());
            assertArrayEquals(
                    new float[] {2, 1},
                    s.feed(x.edge(), Tensor.of(Shape.of(2), 1, 0))
                            .fetch(bad.edge())
                            .run()
                            .get(0)
                            .floats());
        }
    }

    @Test
    void wrongFeedsAndNamesAreRefusedBeforeTheStepStarts() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 3));
        Value y = x.sum();
        try (Session s = Session.open(graph)) {
            assertEquals(
                    "feed x:0: wants f32[?,3], got string[2]",
                    fails(() -> s.feed(x.edge(), Tensor.of(Shape.of(2), "a", "b"))
                            .fetch(y.edge())
                            .run()));
            assertEquals(
                    "feed x:0: wants f32[?,3], got f32[3,2]",
                    fails(() -> s.feed(x.edge(), Tensor.of(Shape.of(3, 2), new float[6]))
                            .fetch(y.edge())
                            .run()));
            assertEquals(
                    "Graph: there is no node 'nowhere'", fails(() -> s.run(Map.of(), List.of("nowhere:0"), List.of())));
            assertEquals(
                    "Graph: Connecting to invalid output 1 of source node x which has 1 outputs",
                    fails(() -> s.run(Map.of(), List.of("x:1"), List.of())));
            assertEquals("Graph: 'x:one' is not name:port", fails(() -> s.run(Map.of(), List.of("x:one"), List.of())));
        }
    }

    @Test
    void aWrongShapeFailsAtTheLineThatWroteIt() {
        Value a = ops.placeholder("a", DType.F32, Shape.of(32, 784)),
                b = ops.placeholder("b", DType.F32, Shape.of(128, 10));
        var e = assertThrows(OxbowException.class, () -> a.matMul(b));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals(
                "MatMul: Matrix size-incompatible: In[0]: [32,784], In[1]: [128,10]: inner dimensions differ (node"
                        + " MatMul)",
                e.getMessage());
    }

    @Test
    void theFirstNanNamesItsNodeOnRequest() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        Value y = x.log().plus(1).sum();
        try (Session s = Session.open(graph, SessionOptions.defaults().withCheckNumerics(true))) {
            assertEquals(
                    2,
                    scalar(s.feed(x.edge(), Tensor.of(Shape.of(2), 1f, 1f))
                            .fetch(y.edge())
                            .run()));
            assertTrue(fails(() -> s.feed(x.edge(), Tensor.of(Shape.of(2), 1f, -1f))
                            .fetch(y.edge())
                            .run())
                    .startsWith("Log: output 0 holds NaN at element 1 of f32[2] (node Log"));
        }
    }

    @Test
    void aBudgetThatIsExceededNamesTheHolderAndLeavesTheSessionUsable() {
        Value n = ops.placeholder("n", DType.I32, Shape.of(1));
        Value big =
                Value.apply(Ops.named("Fill", Map.of()), n, ops.constant(1f)).sum();
        try (Session s = Session.open(graph, EngineOptions.defaults().withMemoryBudget(8 << 20))) {
            for (int i = 0; i < 3; i++) {
                var e = assertThrows(
                        OxbowException.class,
                        () -> s.feed(n.edge(), Tensor.of(Shape.of(1), 100_000_000))
                                .fetch(big.edge())
                                .run());
                assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
                assertTrue(e.getMessage().contains("Fill wants"), e.getMessage());
                assertEquals(
                        1000,
                        scalar(s.feed(n.edge(), Tensor.of(Shape.of(1), 1000))
                                .fetch(big.edge())
                                .run()));
            }
        }
    }

    @Test
    void nothingStaysInUseAfterFailedAndSuccessfulRuns() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
        Value y = x.plus(1).times(2).reshape(2, 2).sum(0);
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            try (Session s = Session.open(graph, engine)) {
                for (int i = 0; i < 20; i++) {
                    s.feed(x.edge(), Tensor.of(Shape.of(4), 1f, 2f, 3f, 4f))
                            .fetch(y.edge())
                            .run()
                            .forEach(Tensor::close);
                    assertThrows(
                            OxbowException.class,
                            () -> s.feed(x.edge(), Tensor.of(Shape.of(3), 1f, 2f, 3f))
                                    .fetch(y.edge())
                                    .run());
                }
            }
            System.gc();
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        }
    }

    @Test
    void aFailureBehindALoopGivesWhatTheLoopHeldBackOnce() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(3)), held = x.plus(1);
        Value end = ops.whileLoop(
                        ControlFlow.Form.SWITCHES,
                        v -> v.get(0).sum().less(ops.constant(100f)),
                        v -> List.of(v.get(0).plus(held)),
                        List.of(x.times(2)))
                .get(0);
        Value checked = Value.apply(
                Ops.named("CheckNumerics", Map.of("message", "behind the loop")),
                end.minus(1000).log());
        List<Edge> fetches = List.of(checked.edge(), held.edge(), held.tanh().edge());
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            try (Session s = Session.open(graph, engine);
                    Tensor t = Tensor.of(Shape.of(3), 1f, 2f, 3f)) {
                for (int i = 0; i < 3; i++) {
                    String message = fails(() -> s.feed(x.edge(), t)
                            .fetch(fetches.toArray(Edge[]::new))
                            .run());
                    assertTrue(message.startsWith("CheckNumerics: behind the loop"), message);
                }
            }
            assertEquals(0, engine.devices().getFirst().memory().bytesInUse());
        }
    }

    @Test
    void valuesBehindAShapeFollowItWhenItChangesBetweenAndInsideRuns() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
        Value where = Value.apply(Ops.named("Where", Map.of()), x.greater(ops.constant(0f)));
        Value half = half(where.runtimeShape()).times(x.sum());
        Value loop = ops.whileLoop(
                        v -> v.get(0).runtimeSize().greater(ops.constant(1)),
                        v -> {
                            Value kept = Value.apply(
                                    Ops.named("Slice", Map.of()),
                                    v.get(0),
                                    ops.constant(new int[] {1}),
                                    ops.constant(new int[] {-1}));
                            return List.of(kept, v.get(1).plus(half(kept.runtimeShape())));
                        },
                        List.of(x, ops.constant(0f)))
                .get(1);
        try (Session s = Session.open(graph)) {
            int[] counts = {5, 5, 5, 3, 3, 5, 1, 5};
            for (int positive : counts) {
                float[] data = {-1, -1, -1, -1, -1, -1};
                Arrays.fill(data, 0, positive, 2);
                List<Tensor> two = s.feed(x.edge(), Tensor.of(Shape.of(data.length), data))
                        .fetch(half.edge(), loop.edge())
                        .run();
                assertEquals(positive / 2f * (3 * positive - 6), two.get(0).floats()[0], "positive " + positive);
                assertEquals((5 + 4 + 3 + 2 + 1) / 2f, two.get(1).floats()[0], "positive " + positive);
                two.forEach(Tensor::close);
            }
        }
    }

    @Test
    void anUpdateThatMakesItsOwnGradientGivesWhatItGivesWithAGradientAsAnInput() {
        Shape shape = Shape.of(1030, 1021);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 1030)),
                dy = ops.placeholder("dy", DType.F32, Shape.of(-1, 1021));
        Parameter w = Parameter.of("w", ops.constant(Tensor.zeros(DType.F32, shape))),
                slot = Parameter.of("slot", ops.constant(Tensor.zeros(DType.F32, shape)));
        Edge half = ops.constant(0.5f).edge(), g = x.matMul(dy, true, false).edge();
        Node update = graph.add(
                Ops.named("ResourceApplyMomentum", Map.of()),
                List.of(w.handle().edge(), slot.handle().edge(), half, g, half));
        for (int batch : new int[] {5, 300}) { // by tiles, and whole
            List<float[]> results = new ArrayList<>();
            Tensor a = counting(batch, 1030), b = counting(batch, 1021);
            for (int threads = 0; threads <= 2; threads++) {
                EngineOptions devices = EngineOptions.defaults().withThreads(Math.max(1, threads));
                try (Session s =
                        Session.open(graph, devices, SessionOptions.defaults().withOptimise(threads > 0))) {
                    s.target(w.initialiser(), slot.initialiser()).run();
                    for (int step = 0; step < 3; step++)
                        s.feed(x.edge(), a).feed(dy.edge(), b).target(update).run();
                    results.add(s.fetch(w.value().edge()).run().get(0).floats());
                }
            }
            assertArrayEquals(results.get(0), results.get(1));
            assertArrayEquals(results.get(0), results.get(2));
        }
    }

    /** Small whole numbers, whose products and sums are exact. */
    private static Tensor counting(long rows, long columns) {
        Tensor t = Tensor.zeros(DType.F32, Shape.of(rows, columns));
        for (long i = 0; i < t.size(); i++) t.set(i, i % 7 - 3);
        return t;
    }

    /** Half of the first dimension, several nodes behind the shape. */
    private Value half(Value shape) {
        return shape.gather(ops.constant(0), 0).cast(DType.F32).times(0.5);
    }

    private Edge queue(long capacity) {
        Map<String, Object> attributes =
                Map.of("component_types", List.of(DType.F32), "shapes", List.of(Shape.SCALAR), "capacity", capacity);
        return graph.add(Ops.named("FIFOQueueV2", attributes), List.of()).edge(0);
    }

    private static float scalar(List<Tensor> results) {
        try (Tensor t = results.get(0)) {
            return t.floats()[0];
        }
    }

    private static String fails(Executable run) {
        return assertThrows(OxbowException.class, run).getMessage();
    }
}
