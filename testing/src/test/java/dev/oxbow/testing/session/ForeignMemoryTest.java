package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Expanding;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.QueueDevice;
import dev.oxbow.testing.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions on a device whose memory the host can not address, and whose kernels run later. */
@Timeout(300)
public final class ForeignMemoryTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @ParameterizedTest
    @CsvSource({
        "mlp, FOREIGN_MEMORY",
        "mlp, FOREIGN_MEMORY_NO_PASSES",
        "mlp, TWO_KINDS_OF_DEVICE",
        "cnn, FOREIGN_MEMORY",
        "transformer, FOREIGN_MEMORY",
        "rnn, TWO_KINDS_OF_DEVICE"
    })
    void trainingGivesTheBitsOfTheHost(String kind, Setting setting) {
        TrainingModel m = TrainingModel.of(kind, 8);
        List<float[]> expected, actual;
        Setting host = switch (setting) {
            case FOREIGN_MEMORY_NO_PASSES -> Setting.NO_PASSES;
            case TWO_KINDS_OF_DEVICE -> Setting.TWO_DEVICES;
            default -> Setting.PLAIN;
        };
        try (Engine engine = host.engine()) {
            expected = m.run(engine, host.options());
        }
        Engine engine = setting.engine();
        try (engine) {
            actual = m.run(engine, setting.options());
        }
        for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        engine.devices().forEach(d -> assertEquals(0, d.memory().bytesInUse(), d.name()));
        assertTrue(queue(engine).enqueued() > 0);
    }

    private static QueueDevice queue(Engine engine) {
        return (QueueDevice) engine.devices().getLast();
    }

    @Test
    void devicesOfOneProcessExchangeValuesWithoutTheHost() {
        TrainingModel m = TrainingModel.of("rnn", 8);
        List<float[]> expected, actual;
        try (Engine engine = Setting.TWO_DEVICES.engine()) {
            expected = m.run(engine, Setting.TWO_DEVICES.options());
        }
        Engine engine = new Engine(
                EngineOptions.defaults().withThreads(2),
                (o, width) -> List.of(
                        new QueueDevice(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)),
                        new QueueDevice(new CpuDevice(o.task(), 1, Long.MAX_VALUE, width))));
        try (engine) {
            actual = m.run(engine, Setting.TWO_DEVICES.options());
        }
        for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        for (int i = 0; i < 2; i++) assertTrue(((QueueDevice) engine.devices().get(i)).movedIn() > 0, "device " + i);
    }

    @Test
    void whatPassesBetweenDevicesIsThereBeforeItIsReadAndUntilItWas() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1 << 16));
        Value y = x.tanh(), z = y;
        for (int i = 0; i < 20; i++) z = z.times(1.5).minus(z.square());
        float[] given = new float[1 << 16];
        for (int i = 0; i < given.length; i++) given[i] = (i % 997) / 1000f;
        float[][] results = new float[2][];
        for (int way = 0; way < 2; way++) {
            int kind = way;
            try (Engine engine = new Engine(
                            EngineOptions.defaults().withThreads(2),
                            (o, width) -> List.of(0, 1).stream()
                                    .map(i -> new CpuDevice(o.task(), i, Long.MAX_VALUE, width))
                                    .map(c -> kind == 0 ? (Device) c : new QueueDevice(c))
                                    .toList());
                    Session s = Session.open(graph, engine, Setting.TWO_DEVICES.options());
                    Tensor fed = Tensor.of(Shape.of(1 << 16), given)) {
                for (int i = 0; i < 20; i++)
                    results[way] = floats(s.feed(x.edge(), fed).fetch(z.edge()).run());
                if (way == 0) continue;
                QueueDevice first = (QueueDevice) engine.devices().getFirst();
                assertTrue(first.movedIn() > 0 && queue(engine).movedIn() > 0);
                assertEquals(20L << 18, first.takenOut() + queue(engine).takenOut(), "what was fetched and no more");
            }
        }
        assertArrayEquals(results[0], results[1]);
    }

    @Test
    void variablesLieWhereTheyWereUpdatedLastAndComeToWhoeverReadsThem() {
        Value one = ops.constant(Tensor.of(Shape.of(2), 1f, 1f));
        Parameter p = Parameter.of("p", ops.constant(Tensor.of(Shape.of(2), 1f, 2f)));
        Node there = graph.add(new AssignAddVariableOp(), List.of(p.handle().edge(), one.edge()));
        Node here = graph.add(
                new ResourceApplyGradientDescent(),
                List.of(p.handle().edge(), ops.constant(2f).edge(), one.edge()));
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine)) {
            s.target(p.initialiser()).run();
            for (int i = 0; i < 3; i++) {
                s.target(there).run();
                assertTrue(queue(engine).memory().bytesInUse() > 0);
                s.target(here).run();
            }
            s.target(there).run();
            assertArrayEquals(
                    new float[] {-1, 0}, floats(s.fetch(p.value().edge()).run()));
        }
    }

    @Test
    void whatIsPutIntoAQueueStaysOnTheHostUntilItIsTaken() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1000));
        List<DType> types = List.of(DType.F32);
        Edge queue = graph.add(new FIFOQueueV2(types, List.of(x.shape()), 4, "", ""), List.of())
                .edge(0);
        Node put = graph.add(new QueueEnqueueV2(-1), List.of(queue, x.edge()));
        Value taken = Value.of(
                graph.add(new QueueDequeueV2(types, -1), List.of(queue)).edge(0));
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine);
                Tensor fed = Tensor.of(Shape.of(1000), new float[1000])) {
            for (int i = 0; i < 3; i++) {
                s.feed(x.edge(), fed).target(put).run();
                assertEquals(0, queue(engine).takenOut());
            }
            assertArrayEquals(
                    new float[] {1000},
                    floats(s.fetch(taken.plus(1).sum().edge()).run()));
        }
    }

    @Test
    void whatIsFetchedLiesOnTheHostAndIsTheCallers() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2));
        Value y = x.times(2);
        try (Engine engine = Setting.FOREIGN_MEMORY.engine()) {
            Results results;
            try (Session s = Session.open(graph, engine);
                    Tensor fed = Tensor.of(Shape.of(2), 1f, 2f)) {
                results = s.feed(x.edge(), fed).fetch(y.edge(), x.edge()).run();
            }
            assertSame(Space.HOST, results.get(0).space());
            assertArrayEquals(new float[] {2, 4}, results.get(0).floats());
            assertArrayEquals(new float[] {1, 2}, results.get(1).floats());
        }
    }

    @Test
    void aChainOfElementwiseOpsIsOneKernelOfTheDevice() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(8));
        Value y = x.times(2).plus(1).square().minus(x).tanh();
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine)) {
            Tensor fed = Tensor.zeros(DType.F32, Shape.of(8));
            s.feed(x.edge(), fed).fetch(y.edge()).run();
            long before = queue(engine).enqueued();
            s.feed(x.edge(), fed).fetch(y.edge()).run();
            assertEquals(1, queue(engine).enqueued() - before);
        }
    }

    @Test
    void aLayerNormalisationIsOneKernelOfTheDevice() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(4, 8));
        Value centred = x.minus(x.mean(true, -1));
        Value y = centred.times(centred.square().mean(true, -1).plus(1e-5).rsqrt());
        float[] given = new float[32], expected;
        for (int i = 0; i < given.length; i++) given[i] = (i * 37 % 11) - 5;
        try (Engine engine = Setting.PLAIN.engine();
                Session s = Session.open(graph, engine)) {
            expected = floats(s.feed(x.edge(), Tensor.of(Shape.of(4, 8), given))
                    .fetch(y.edge())
                    .run());
        }
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine);
                Tensor fed = Tensor.of(Shape.of(4, 8), given)) {
            s.feed(x.edge(), fed).fetch(y.edge()).run();
            long before = queue(engine).enqueued();
            assertArrayEquals(
                    expected, floats(s.feed(x.edge(), fed).fetch(y.edge()).run()), 1e-6f);
            assertEquals(1, queue(engine).enqueued() - before);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 64})
    void aLossWithItsGradientIsOneKernelThatWritesOverTheLogitsThoughTheLossIsFetched(int classes) {
        int rows = 64; // with as many classes labels have the shape of a row
        Value x = ops.placeholder("x", DType.F32, Shape.of(rows, 16)),
                labels = ops.placeholder("y", DType.I32, Shape.of(rows));
        Parameter w = Parameter.of("w", ops.constant(new TrainingModel().floats(0.2, 16, classes)));
        Value logits = x.matMul(w.value());
        Value loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), logits, labels)
                .get(0)
                .mean();
        List<Node> updates = Minimiser.descent(0.5).minimise(loss, List.of(w)).nodes();
        float[] given = new TrainingModel().floats(1, rows, 16).floats();
        int[] chosen = new int[rows];
        for (int i = 0; i < rows; i++) chosen[i] = i * 7 % classes;
        float[][] losses = new float[2][5];
        String text = "";
        for (Setting setting : List.of(Setting.PLAIN, Setting.FOREIGN_MEMORY)) {
            try (Engine engine = setting.engine();
                    Session s = Session.open(graph, engine);
                    Tensor data = Tensor.of(Shape.of(rows, 16), given);
                    Tensor wanted = Tensor.of(Shape.of(rows), chosen)) {
                s.target(w.initialiser()).run();
                for (int i = 0; i < 5; i++)
                    losses[setting == Setting.PLAIN ? 0 : 1][i] = floats(s.feed(x.edge(), data)
                            .feed(labels.edge(), wanted)
                            .fetch(loss.edge())
                            .target(updates.toArray(Node[]::new))
                            .run())[0];
                text = s.explain(List.of(x.edge(), labels.edge()), List.of(loss.edge()), updates, false);
            }
        }
        assertArrayEquals(losses[0], losses[1], 1e-6f);
        String explained = text;
        assertTrue(
                text.lines().anyMatch(l -> l.contains("(SparseSoftmaxCrossEntropyWithLogits)") && l.contains("(Mul)")),
                explained);
        long block = Long.parseLong(
                text.replaceAll("(?s).*block of ([\\d,]+) bytes.*", "$1").replace(",", ""));
        assertTrue(block < 2L * 4 * rows * classes, () -> "more than one matrix of logits\n" + explained);
    }

    @Test
    void viewsOfWhatLiesThereTakeNothingToTheHost() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1024)),
                dims = ops.placeholder("dims", DType.I32, Shape.of(2));
        Value y = x.plus(1).reshape(dims).times(2);
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine);
                Tensor fed = queue(engine).adopt(Tensor.zeros(DType.F32, Shape.of(1024)));
                Tensor to = Tensor.of(Shape.of(2), 32, 32)) {
            for (int i = 0; i < 3; i++) {
                long before = queue(engine).takenOut();
                s.feed(x.edge(), fed).feed(dims.edge(), to).target(y.node()).run();
                assertTrue(queue(engine).takenOut() - before < 1024, "bytes taken out in run " + i);
            }
        }
    }

    @Test
    void integersThatCanNotBeDividedFailTheStepAndNotTheDevice() {
        Value x = ops.placeholder("x", DType.I32, Shape.of(2));
        Value y = Value.apply(Ops.named("FloorDiv", Map.of()), x.plus(1), x);
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine)) {
            for (int i = 0; i < 3; i++) {
                var e = assertThrows(
                        OxbowException.class,
                        () -> s.feed(x.edge(), Tensor.of(Shape.of(2), 1, 0))
                                .fetch(y.edge())
                                .run());
                assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), e.getMessage());
                Tensor fed = Tensor.of(Shape.of(2), 1, 3);
                assertArrayEquals(
                        new int[] {2, 1},
                        s.feed(x.edge(), fed).fetch(y.edge()).run().get(0).ints());
            }
        }
    }

    @Test
    void aRunEndsAfterTheDeviceIsDoneAndSaysWhenItWasLost() {
        Parameter p = Parameter.of("p", ops.constant(1f));
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine)) {
            queue(engine).lose("a bit fell over");
            var e = assertThrows(
                    OxbowException.class, () -> s.target(p.initialiser()).run());
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            assertTrue(
                    e.getMessage().contains("is lost") && e.getMessage().contains("a bit fell over"), e.getMessage());
        }
    }

    @Test
    void aPartialRunFeedsAndFetchesOverTheBorder() {
        Value a = ops.placeholder("a", DType.F32, Shape.SCALAR), b = ops.placeholder("b", DType.F32, Shape.SCALAR);
        String first = a.times(2).edge().name(), second = a.plus(b).edge().name();
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine);
                PartialRun run = s.partialRun(List.of("a:0", "b:0"), List.of(first, second), List.of())) {
            assertEquals(6, floats(run.run(Map.of("a:0", Tensor.scalar(3f)), List.of(first), null))[0]);
            assertEquals(8, floats(run.run(Map.of("b:0", Tensor.scalar(5f)), List.of(second), null))[0]);
        }
    }

    @Test
    void stepsSideBySideDoNotSeeEachOther() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));
        Value y = x.matMul(x)
                .plus(x)
                .minus(Value.apply(Ops.named("Softmax", Map.of()), x))
                .matMul(x.tanh());
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s = Session.open(graph, engine);
                Session host = Session.open(graph);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<?>> all = new ArrayList<>();
            for (int k = 0; k < 3; k++) {
                Tensor fed = Tensor.allocate(DType.F32, Shape.of(64, 64));
                for (long i = 0; i < fed.size(); i++) fed.set(i, Math.sin(i + k));
                float[] expected =
                        floats(host.feed(x.edge(), fed).fetch(y.edge()).run());
                all.add(threads.submit(() -> {
                    for (int i = 0; i < 50; i++)
                        assertArrayEquals(
                                expected,
                                floats(s.feed(x.edge(), fed).fetch(y.edge()).run()));
                }));
            }
            for (Future<?> f : all) f.get();
        }
    }

    /** An identity that others compute as 7. */
    @Signature("Seven(x: float) -> (y: float) {}")
    public record Seven() implements Expanding {
        @Override
        public Expansion expand(Services services, Node node, List<Edge> inputs, Graph out) {
            Node n = out.derive(node, new NodeSpec(node.name(), new Const(Tensor.scalar(7f)), List.of()));
            return new Expansion(n, List.of(n.edge(0)), new NoOp());
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> c.forward(0, 0);
        }

        @Override
        public boolean suppliesOutputs() {
            return true;
        }
    }

    @Test
    void opsThatShareMemoryWithOthersWhereItLiesAreExpandedOnTheHostAlone() {
        Value y = Value.apply(new Seven(), ops.placeholder("x", DType.F32, Shape.SCALAR));
        for (Setting setting : List.of(Setting.PLAIN, Setting.FOREIGN_MEMORY)) {
            try (Engine engine = setting.engine();
                    Session s = Session.open(graph, engine)) {
                Map<String, Tensor> feeds = Map.of("x:0", Tensor.scalar(3f));
                float found = floats(s.run(feeds, List.of(y.edge().name()), List.of()))[0];
                assertEquals(setting == Setting.PLAIN ? 7 : 3, found);
            }
        }
    }

    @Test
    void numbersAreCheckedWhereverTheyLie() {
        Value y = ops.placeholder("x", DType.F32, Shape.of(2)).log();
        try (Engine engine = Setting.FOREIGN_MEMORY.engine();
                Session s =
                        Session.open(graph, engine, SessionOptions.defaults().withCheckNumerics(true))) {
            Map<String, Tensor> feeds = Map.of("x:0", Tensor.of(Shape.of(2), 1f, -1f));
            var e = assertThrows(
                    OxbowException.class, () -> s.run(feeds, List.of(y.edge().name()), List.of()));
            assertTrue(e.getMessage().contains("holds NaN at element 1"), e.getMessage());
        }
    }

    @Test
    void valuesAndALoopGoFromOneKindOfDeviceToTheOther() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
        Value there, back;
        try (var _ = graph.device("cpu:1")) {
            there = x.times(2);
        }
        try (var _ = graph.device("cpu:0")) {
            back = there.plus(1);
        }
        List<Value> loop = ops.whileLoop(
                v -> {
                    try (var _ = v.get(0).graph().device("cpu:0")) {
                        return v.get(0).less(ops.constant(100));
                    }
                },
                v -> {
                    try (var _ = v.get(0).graph().device("cpu:1")) {
                        return List.of(v.get(0).plus(1), v.get(1).plus(back));
                    }
                },
                List.of(ops.constant(0), x));
        try (Engine engine = Setting.TWO_KINDS_OF_DEVICE.engine();
                Session s = Session.open(graph, engine)) {
            for (int i = 0; i < 3; i++)
                assertEquals(
                        703,
                        floats(s.feed(x.edge(), Tensor.scalar(3f))
                                .fetch(loop.get(1).edge())
                                .run())[0]);
            assertTrue(queue(engine).enqueued() >= 200);
        }
    }

    @Test
    void devicesOfOneSessionHaveBudgetsOfTheirOwn() {
        List<Value> many = new ArrayList<>();
        for (int d = 0; d < 3; d++) {
            try (var _ = graph.device("cpu:" + d)) {
                many.add(Value.apply(
                        Ops.named("Fill", Map.of()), ops.constant(1 << 20).reshape(1), ops.constant(1f)));
            }
        }
        Value sum = many.get(1).sum(), goes;
        try (var _ = graph.device("cpu:2")) {
            goes = many.get(1).exp();
        }
        try (Engine engine = new Engine(
                        EngineOptions.defaults(),
                        (o, width) -> List.of(
                                new CpuDevice(o.task(), 0, 1 << 20, width),
                                new CpuDevice(o.task(), 1, 64 << 20, width),
                                new QueueDevice(new CpuDevice(o.task(), 2, 1 << 21, width))));
                Session s =
                        Session.open(graph, engine, SessionOptions.defaults().withOptimise(false))) {
            assertEquals(1 << 20, floats(s.fetch(sum.edge()).run())[0]);
            assertRefused(s, many.get(0), "CPU:0: out of memory: ");
            assertRefused(s, many.get(2), "QUEUE: out of memory: ");
            assertRefused(s, goes, "QUEUE: out of memory: values from elsewhere wants 4,194,304 bytes");
        }
    }

    @Test
    void aVariableThatDoesNotFitIsNotCalledUninitialised() {
        Parameter w = Parameter.of("w", ops.constant(0f));
        Variable large = new Variable("w", DType.F32, Shape.SCALAR);
        QueueDevice[] device = new QueueDevice[1];
        try (Engine engine = new Engine(EngineOptions.defaults(), (o, width) -> {
                    device[0] = new QueueDevice(new CpuDevice(o.task(), 0, 1 << 20, width));
                    return List.of(device[0]);
                });
                Session s = Session.open(graph, engine)) {
            device[0].containers().lookupOrCreate("", "w", Variable.class, () -> large);
            var e = assertThrows(
                    OxbowException.class, () -> s.fetch(w.value().edge()).run());
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            assertTrue(e.getMessage().contains("run its initialiser first, such as w.initialiser()"), e.getMessage());
            large.assign(MemoryPool.shared().tensor(DType.F32, Shape.of(1 << 20), "a test"));
            assertRefused(s, w.value(), "QUEUE: out of memory: w wants 4,194,304 bytes");
        }
    }

    private static void assertRefused(Session s, Value y, String why) {
        var e = assertThrows(OxbowException.class, () -> s.fetch(y.edge()).run());
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(e.getMessage().contains(why), e.getMessage());
    }

    private static float[] floats(List<Tensor> one) {
        return one.get(0).floats();
    }
}
