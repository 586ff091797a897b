package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PrecisionTest {
    private static final long SEED = 4;

    private static Trainer.Config config(DType precision) {
        Model model = Model.of(
                Input.floats("x", 8, 8, 1),
                sequential(
                        conv(4, 3, Value::relu), maxPool(2), batchNorm(), flatten(), dense(16, Value::relu), dense(3)),
                SEED);
        return Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                .precision(precision);
    }

    /** Images whose brightest quarter tells their class. */
    private static Batches batches() {
        Random random = new Random(SEED);
        float[] x = new float[60 * 64];
        int[] y = new int[60];
        for (int i = 0; i < y.length; i++) {
            y[i] = random.nextInt(3);
            for (int p = 0; p < 64; p++) x[i * 64 + p] = random.nextFloat() + (p / 16 == y[i] ? 1 : 0);
        }
        return Examples.of(Tensor.of(Shape.of(60, 8, 8, 1), x), Tensor.of(Shape.of(60), y))
                .shuffled(20, SEED);
    }

    @ParameterizedTest
    @EnumSource(names = {"BF16", "F16"})
    void trainingInHalfPrecisionFollowsThatInF32(DType half) {
        try (Trainer full = config(DType.F32).start();
                Trainer narrow = config(half).start()) {
            List<Epoch> a = full.fit(batches(), 8), b = narrow.fit(batches(), 8);
            assertNotEquals(a.getFirst().loss(), b.getFirst().loss());
            for (int i = 0; i < a.size(); i++)
                assertEquals(
                        a.get(i).loss(), b.get(i).loss(), 0.1 + 0.1 * a.get(i).loss());
            assertTrue(b.getLast().loss() < 0.5 * b.getFirst().loss(), b::toString);
            for (var p : narrow.state())
                if (p.value().dtype().isFloating()) assertTrue(p.value().dtype().size() >= 4, p.name());
        }
    }

    /** Operands are rounded, the sum is that of the rounded ones, and the result is rounded once. */
    @Test
    void aProductIsThatOfRoundedOperands() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(1, 2)), w = ops.placeholder("w", DType.F32, Shape.of(2, 1));
        Value y = x.matMul(w).named("y");
        SessionOptions options = SessionOptions.defaults().withRewrite(new MixedPrecision(DType.BF16));
        try (Session s = Session.open(g, options);
                Tensor a = Tensor.of(Shape.of(1, 2), 1.001f, 3f);
                Tensor b = Tensor.of(Shape.of(2, 1), 1f, 1.01f);
                Tensor c = s.feed(x.edge(), a)
                        .feed(w.edge(), b)
                        .fetch(y.edge())
                        .run()
                        .get(0)) {
            assertEquals(DType.F32, c.dtype());
            assertEquals(4.03125f, c.floats()[0]); // 1 * 1 + 3 * 1.0078125 = 4.0234375, which bf16 rounds to 4.03125
        }
    }

    @Test
    void whatLiesBetweenProductsStaysNarrowAndReductionsDoNot() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(4, 4));
        Value h = x.matMul(x).plus(1).relu().named("h"),
                y = h.matMul(x).named("y"),
                s = y.softmax().named("s");
        Subgraph out = new MixedPrecision(DType.F16).run(new Subgraph(g, List.of(s.node())), null);
        int narrow = 0;
        for (Node n : out.graph().nodes()) {
            String op = n.op().signature().name();
            boolean half = n.outputCount() > 0 && n.output(0).dtype() == DType.F16;
            if (op.equals("MatMul") || op.equals("AddV2") || op.equals("Relu")) assertTrue(half, n::toString);
            if (op.equals("Softmax")) assertEquals(DType.F32, n.output(0).dtype());
            if (op.equals("Cast") && half) narrow++;
        }
        assertEquals(2, narrow, "x and the constant are cast once each");
    }

    /** Targets of 1e9 make gradients that f16 can not hold, so nothing is learned and the factor is halved. */
    @Test
    void aStepWhoseGradientsAreNotFiniteChangesNothingButTheFactor() {
        Model model = Model.of(Input.floats("x", 2), dense(1), SEED);
        Tensor x = Tensor.of(Shape.of(2, 2), 1f, 2f, 3f, 4f), y = Tensor.of(Shape.of(2, 1), 1e9f, -1e9f);
        try (Trainer t = Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.1))
                        .precision(DType.F16)
                        .start();
                Checkpoint before = t.checkpoint()) {
            t.fit(Examples.of(x, y).batches(2), 3);
            try (Checkpoint after = t.checkpoint()) {
                assertEquals(3, after.values().get("step").getLong(0));
                assertEquals((1 << 15) / 8, after.values().get("loss_scale").getDouble(0));
                for (String name : List.of("kernel", "bias"))
                    assertArrayEquals(
                            before.values().get(name).floats(),
                            after.values().get(name).floats());
            }
        }
    }

    @Test
    void theFactorIsPartOfTheState(@TempDir Path folder) {
        try (Trainer whole = config(DType.F16).start();
                Trainer first = config(DType.F16).start();
                Trainer second = config(DType.F16).start()) {
            whole.fit(batches(), 4);
            first.fit(batches(), 2);
            try (Checkpoint c = first.checkpoint()) {
                new Checkpoints(folder, 1).save(c);
            }
            assertTrue(second.resume(new Checkpoints(folder, 1)));
            second.fit(batches(), 4);
            try (Checkpoint a = whole.checkpoint();
                    Checkpoint b = second.checkpoint()) {
                a.values()
                        .forEach((name, t) -> assertArrayEquals(
                                t.bytes(), b.values().get(name).bytes(), name));
            }
        }
    }
}
