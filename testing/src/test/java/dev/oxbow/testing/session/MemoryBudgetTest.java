package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.ops.Gradients;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Explain;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training steps under a memory budget: equal results, less memory, clear errors. */
final class MemoryBudgetTest {
    private static final int STEPS = 4;

    /** A model with its training step. */
    private static final class Model {
        final Graph graph = new Graph();
        final Ops ops = Ops.in(graph);
        final Random random = new Random(17);
        final List<Parameter> parameters = new ArrayList<>();
        final Map<String, float[]> initial = new HashMap<>();
        Value x;
        Tensor data;
        Value loss;
        List<Node> updates;

        Value parameter(String name, double scale, long... dims) {
            Tensor t = floats(scale, dims);
            initial.put(name, t.floats());
            Parameter p = Parameter.of(name, ops.constant(t));
            parameters.add(p);
            return p.value();
        }

        Tensor floats(double scale, long... dims) {
            Shape s = Shape.of(dims);
            float[] f = new float[(int) s.size()];
            for (int i = 0; i < f.length; i++) f[i] = (float) (scale * random.nextGaussian());
            return Tensor.of(s, f);
        }

        Model input(long... dims) {
            long[] open = dims.clone();
            open[0] = -1;
            x = ops.placeholder("x", DType.F32, Shape.of(open));
            data = floats(1, dims);
            return this;
        }

        Model train(Value out) {
            loss = out.square().mean();
            updates = Parameter.descend(loss, 0.1, parameters);
            return this;
        }

        /** The graph as passes leave it, before memory is looked at. */
        Subgraph prepared() {
            Subgraph cut = Cut.run(graph, List.of(x.edge()), List.of(data.shape()), List.of(loss.edge()), updates);
            return Infer.run(Cut.prune(Deduplicate.run(Fold.run(Infer.run(Inline.run(cut))))));
        }

        FitMemory.Report estimate(long budget) {
            return FitMemory.run(prepared(), budget, g -> new int[g.size()]).report();
        }

        /** Losses of some steps, then all variables. */
        List<float[]> run(Engine engine) {
            List<float[]> all = new ArrayList<>();
            try (Session s = Session.open(graph, engine)) {
                initialise(s);
                for (int i = 0; i < STEPS; i++) all.add(step(s));
                for (Parameter p : parameters)
                    all.add(floats(s.fetch(p.value().edge()).run()));
            }
            return all;
        }

        void initialise(Session s) {
            s.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                    .run();
        }

        float[] step(Session s) {
            return floats(s.feed(x.edge(), data)
                    .fetch(loss.edge())
                    .target(updates.toArray(Node[]::new))
                    .run());
        }

        long stateBytes() {
            long sum = 0;
            for (Parameter p : parameters)
                sum += MemoryPool.blockSize(
                        MemoryPool.byteSize(DType.F32, p.value().shape()));
            return sum;
        }

        /** The initial value of a parameter. */
        float[] data(String name) {
            return initial.get(name);
        }

        private static float[] floats(List<Tensor> one) {
            float[] f = one.get(0).floats();
            one.get(0).close();
            return f;
        }
    }

    private static Model model(String kind) {
        return switch (kind) {
            case "mlp" -> mlp(24);
            case "cnn" -> cnn();
            case "transformer" -> transformer();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Model mlp(int layers) {
        Model m = new Model().input(2048, 32);
        Value h = m.x;
        for (int i = 0; i < layers; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32))
                    .plus(m.parameter("b" + i, 0.1, 32))
                    .tanh();
        return m.train(h);
    }

    private static Model cnn() {
        Model m = new Model().input(16, 24, 24, 4);
        Value h = m.x;
        for (int i = 0; i < 16; i++) {
            Value w = m.parameter("w" + i, 0.2, 3, 3, 4, 4);
            h = Value.apply(Ops.named("Conv2D", Map.of("strides", List.of(1L, 1L, 1L, 1L), "padding", "SAME")), h, w)
                    .plus(m.parameter("b" + i, 0.1, 4))
                    .relu();
        }
        return m.train(h);
    }

    private static Model transformer() {
        int batch = 16, time = 48, d = 32, heads = 4;
        Model m = new Model().input(batch, time, d);
        Value h = m.x;
        for (int i = 0; i < 4; i++) {
            Value a = norm(h).reshape(batch * time, d);
            Value[] three = new Value[3];
            for (int k = 0; k < 3; k++)
                three[k] = a.matMul(m.parameter("qkv" + i + k, 0.2, d, d))
                        .reshape(batch, time, heads, d / heads)
                        .transpose(0, 2, 1, 3);
            Value scores = Value.apply(Ops.named("BatchMatMulV2", Map.of("adj_y", true)), three[0], three[1]);
            Value mixed = Value.apply(
                    Ops.named("BatchMatMulV2", Map.of()),
                    Value.apply(Ops.named("Softmax", Map.of()), scores),
                    three[2]);
            Value joined = mixed.transpose(0, 2, 1, 3).reshape(batch * time, d);
            h = h.plus(joined.matMul(m.parameter("o" + i, 0.2, d, d)).reshape(batch, time, d));
            Value f = norm(h).reshape(batch * time, d)
                    .matMul(m.parameter("f" + i, 0.2, d, 4 * d))
                    .tanh();
            h = h.plus(f.matMul(m.parameter("g" + i, 0.2, 4 * d, d)).reshape(batch, time, d));
        }
        return m.train(h);
    }

    private static Value norm(Value x) {
        Value centred = x.minus(x.mean(true, 2));
        return centred.times(centred.square().mean(true, 2).plus(1e-5).rsqrt());
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn", "transformer"})
    void halfTheMemoryGivesTheSameBits(String kind) {
        Model m = model(kind);
        FitMemory.Report plain = m.estimate(Long.MAX_VALUE);
        assertEquals(0, plain.unknown());
        List<float[]> expected;
        try (Engine engine = new Engine(SessionOptions.defaults())) {
            expected = m.run(engine);
        }
        long budget = m.stateBytes() + plain.written() / 2;
        try (Engine engine = new Engine(SessionOptions.defaults().withMemoryBudget(budget))) {
            List<float[]> actual = m.run(engine);
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
            MemoryPool memory = engine.devices().get(0).memory();
            assertTrue(memory.peakBytes() <= budget, () -> memory.peakBytes() + " of " + budget);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn", "transformer"})
    void theEstimateIsWithinATenthOfWhatThePoolMeasures(String kind) {
        Model m = model(kind);
        long written = m.estimate(Long.MAX_VALUE).written(), state = m.stateBytes();
        for (double share : new double[] {1.1, 0.75, 0.5}) {
            long left = (long) (share * written);
            // a step without a plan: plans hold less
            SessionOptions options = SessionOptions.defaults().withPlans(false).withMemoryBudget(state + left);
            try (Engine engine = new Engine(options);
                    Session s = Session.open(m.graph, engine)) {
                MemoryPool memory = engine.devices().get(0).memory();
                m.initialise(s);
                m.step(s);
                m.step(s);
                long estimated = state + m.estimate(left - left / 32).recomputed(), measured = memory.peakBytes();
                assertEquals(1, (double) estimated / measured, 0.1, () -> estimated + " for " + measured);
            }
        }
    }

    @Test
    void anotherOrderIsTriedBeforeAnythingIsComputedTwice() {
        Model m = new Model().input(256, 256);
        List<Value> wide = new ArrayList<>();
        for (int i = 0; i < 16; i++) wide.add(m.x.times(i + 1).tanh());
        Value sum = m.ops.constant(0f);
        for (Value w : wide) sum = sum.plus(w.square().sum());
        Edge fetch = sum.edge();
        m.loss = sum;
        m.updates = List.of();
        FitMemory.Report r = m.estimate(m.estimate(Long.MAX_VALUE).written() / 4);
        assertTrue(r.fits() && r.reordered() <= r.written() / 4, r.toString());
        assertEquals(0, r.copies());
        float[] expected, actual;
        try (Session s = Session.open(m.graph)) {
            expected = Model.floats(s.feed(m.x.edge(), m.data).fetch(fetch).run());
        }
        try (Session s = Session.open(m.graph, SessionOptions.defaults().withMemoryBudget(r.written() / 4))) {
            s.feed(m.x.edge(), m.data).fetch(fetch).run().get(0).close();
            actual = Model.floats(s.feed(m.x.edge(), m.data).fetch(fetch).run());
        }
        assertArrayEquals(expected, actual);
    }

    @Test
    void randomValuesAreDrawnOnce() {
        Model m = new Model().input(1024, 32);
        Value h = m.x;
        for (int i = 0; i < 16; i++) {
            Value mask = Value.apply(
                    Ops.named("RandomUniform", Map.of("seed", 7L + i, "seed2", 11L, "dtype", DType.F32)),
                    m.ops.constant(1024, 32));
            h = h.matMul(m.parameter("w" + i, 0.3, 32, 32)).tanh().times(mask);
        }
        m.train(h);
        List<float[]> expected;
        try (Engine engine = new Engine(SessionOptions.defaults())) {
            expected = m.run(engine);
        }
        FitMemory.Report plain = m.estimate(Long.MAX_VALUE);
        long left = (long) (0.75 * plain.written());
        assertTrue(m.estimate(left - left / 32).copies() > 0);
        try (Engine engine = new Engine(SessionOptions.defaults().withMemoryBudget(m.stateBytes() + left))) {
            List<float[]> actual = m.run(engine);
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        }
    }

    @Test
    void aBudgetThatIsTooSmallForOneNodeFailsBeforeTheStep() {
        Model m = mlp(3);
        try (Session s = Session.open(m.graph, SessionOptions.defaults().withMemoryBudget(600_000))) {
            m.initialise(s);
            var e = assertThrows(OxbowException.class, () -> m.step(s));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
            assertTrue(
                    e.getMessage()
                            .matches("CPU:0: out of memory: .*TanhGrad wants 786,432 bytes for its inputs and outputs, "
                                    + "[\\d,]+ of a budget of 600,000 are in use; the least that this step was "
                                    + "estimated to need is [\\d,]+ bytes beyond them"),
                    e.getMessage());
            assertArrayEquals(
                    m.data("w0"),
                    Model.floats(s.fetch(m.parameters.getFirst().value().edge()).run()));
        }
    }

    @Test
    void aBudgetThatCannotBeMetNamesTheHoldersAndTheLeastPeak() {
        Model m = mlp(24);
        try (Session s = Session.open(m.graph, SessionOptions.defaults().withMemoryBudget(1_300_000))) {
            m.initialise(s);
            var e = assertThrows(OxbowException.class, () -> m.step(s));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
            assertTrue(
                    e.getMessage().contains("of a budget of 1,300,000 are in use; largest holders: "), e.getMessage());
            assertTrue(e.getMessage().contains("the least that this step was estimated to need, "), e.getMessage());
            assertArrayEquals(
                    m.data("w0"),
                    Model.floats(s.fetch(m.parameters.getFirst().value().edge()).run()));
        }
    }

    @Test
    void loopsAndBranchesAreLeftAloneButRun() {
        Model m = new Model().input(512, 32);
        Value h = m.x;
        for (int i = 0; i < 12; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32)).tanh();
        Value looped = m.ops.whileLoop(
                        v -> v.get(0).less(m.ops.constant(3)),
                        v -> List.of(v.get(0).plus(1), v.get(1).tanh().times(1.5)),
                        List.of(m.ops.constant(0), h))
                .get(1);
        Value branched = m.ops.cond(
                        looped.sum().greater(m.ops.constant(0f)),
                        () -> List.of(looped.times(2)),
                        () -> List.of(looped.negated()))
                .getFirst();
        m.train(branched);
        List<float[]> expected;
        try (Engine engine = new Engine(SessionOptions.defaults())) {
            expected = m.run(engine);
        }
        long budget = m.stateBytes() + (long) (0.9 * m.estimate(Long.MAX_VALUE).written()) + (2 << 20);
        try (Engine engine = new Engine(SessionOptions.defaults().withMemoryBudget(budget))) {
            List<float[]> actual = m.run(engine);
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        }
    }

    @Test
    @Timeout(60)
    void aHundredThousandNodesAreFittedInAboutASecond() {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(1024)), v = x;
        for (int i = 0; i < 26_000; i++) v = v.tanh().negated();
        Value dx = Gradients.of(List.of(v), List.of(x)).get(0);
        Subgraph cut = Cut.run(g, List.of(x.edge()), List.of(dx.edge()), List.of());
        Subgraph s = Infer.run(Cut.prune(Fold.run(Infer.run(cut))));
        assertTrue(s.graph().size() > 100_000, () -> s.graph().size() + " nodes");
        long written = FitMemory.run(s, Long.MAX_VALUE, n -> new int[n.size()])
                .report()
                .written();
        long start = System.nanoTime();
        FitMemory.Report r =
                FitMemory.run(s, written / 2, n -> new int[n.size()]).report();
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(r.fits(), r.toString());
        assertTrue(millis < 10_000, () -> millis + " ms");
    }

    @Test
    void explainTellsWhatABudgetSavesAndCosts() {
        Model m = new Model();
        m.x = m.ops.placeholder("x", DType.F32, Shape.of(2048, 32));
        Value h = m.x;
        for (int i = 0; i < 24; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32)).tanh();
        m.train(h);
        String text = Explain.run(
                m.graph,
                List.of(m.x.edge()),
                List.of(m.loss.edge()),
                m.updates,
                SessionOptions.defaults().withMemoryBudget(4 << 20),
                false);
        assertTrue(
                text.replaceAll("\\R", " ")
                        .matches(".*budget of 4,194,304 bytes, of which variables take [\\d,]+; .*peak as written +"
                                + "[\\d,]+ bytes +peak after reordering +[\\d,]+ bytes +peak after recomputing .*nodes are "
                                + "computed twice, which adds [\\d.]+ % to the step's work.*peak memory of a step: .*"),
                text);
    }
}
