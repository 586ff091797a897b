package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
        Value x;
        Tensor data;
        Value loss;
        List<Node> updates;

        Value parameter(String name, double scale, long... dims) {
            Parameter p = Parameter.of(name, ops.constant(floats(scale, dims)));
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
                for (Parameter p : parameters) all.add(floats(s.fetch(p.value().edge()).run()));
            }
            return all;
        }

        void initialise(Session s) {
            s.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new)).run();
        }

        float[] step(Session s) {
            return floats(s.feed(x.edge(), data)
                    .fetch(loss.edge())
                    .target(updates.toArray(Node[]::new))
                    .run());
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
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32)).plus(m.parameter("b" + i, 0.1, 32)).tanh();
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
        int batch = 8, time = 32, d = 32, heads = 4;
        Model m = new Model().input(batch, time, d);
        Value h = m.x;
        for (int i = 0; i < 4; i++) {
            Value a = norm(h).reshape(batch * time, d);
            Value[] three = new Value[3];
            for (int k = 0; k < 3; k++)
                three[k] = a.matMul(m.parameter("qkv" + i + k, 0.2, d, d))
                        .reshape(batch, time, heads, d / heads)
                        .transpose(0, 2, 1, 3);
            Value scores = Value.apply(
                    Ops.named("BatchMatMulV2", Map.of("adj_y", true)), three[0], three[1]);
            Value mixed = Value.apply(
                    Ops.named("BatchMatMulV2", Map.of()),
                    Value.apply(Ops.named("Softmax", Map.of()), scores),
                    three[2]);
            Value joined = mixed.transpose(0, 2, 1, 3).reshape(batch * time, d);
            h = h.plus(joined.matMul(m.parameter("o" + i, 0.2, d, d)).reshape(batch, time, d));
            Value f = norm(h).reshape(batch * time, d).matMul(m.parameter("f" + i, 0.2, d, 4 * d)).tanh();
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
        long state;
        try (Engine engine = new Engine(SessionOptions.defaults())) {
            expected = m.run(engine);
            state = engine.devices().get(0).memory().bytesInUse();
        }
        long budget = state + plain.written() / 2;
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
        for (double share : new double[] {1.1, 0.5}) {
            long written = m.estimate(Long.MAX_VALUE).written();
            // without plans: they hold less than a step that is watched
            try (Engine engine = new Engine(SessionOptions.defaults()
                            .withPlans(false)
                            .withMemoryBudget((long) (share * written) + (1 << 20)));
                    Session s = Session.open(m.graph, engine)) {
                MemoryPool memory = engine.devices().get(0).memory();
                m.initialise(s);
                long before = memory.bytesInUse(), left = memory.budgetInBytes() - before;
                m.step(s);
                long estimated = m.estimate(left - left / 32).recomputed();
                long measured = memory.peakBytes() - before;
                assertEquals(1, (double) estimated / measured, 0.1, () -> estimated + " for " + measured);
            }
        }
    }
}
