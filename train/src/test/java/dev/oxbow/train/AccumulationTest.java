package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several batches that make one step: the same as one large batch; and averages of what steps give. */
final class AccumulationTest {

    private enum Rule {
        SGD(Optimizer.sgd(0.1)),
        ADAM(Optimizer.adam(0.01)),
        CLIPPED(Optimizer.adamW(0.01, 0.1).withClipping(0.1)),
        LAMB(Optimizer.lamb(0.01, 0.1)),
        ADAGRAD(Optimizer.adagrad(0.1));

        private final Optimizer optimizer;

        Rule(Optimizer optimizer) {
            this.optimizer = optimizer;
        }
    }

    private static Trainer.Config trainer(Optimizer o, Layer... layers) {
        Model model = Model.of(
                List.of(new Input("x", DType.I32, Shape.of(3))),
                (b, x) -> sequential(layers).apply(b, x.getFirst()),
                DType.F64,
                5);
        return Trainer.of(model, Losses.sparseCrossEntropy(), o).metrics(Metrics.accuracy());
    }

    private static Layer[] words() {
        return new Layer[] {embedding(7, 4), flatten(), dense(8, Value::tanh), dense(3)};
    }

    private static Layer[] numbers() {
        return new Layer[] {activation(x -> x.cast(DType.F64)), dense(8, Value::tanh), dense(3)};
    }

    /** 23 examples. */
    private static Examples examples() {
        Random random = new Random(4);
        return Examples.of(
                Tensor.of(Shape.of(23, 3), random.ints(23 * 3, 0, 7).toArray()),
                Tensor.of(Shape.of(23), random.ints(23, 0, 3).toArray()));
    }

    private static void assertClose(Trainer a, Trainer b) {
        try (Checkpoint x = a.checkpoint();
                Checkpoint y = b.checkpoint()) {
            assertEquals(x.values().keySet(), y.values().keySet());
            x.values().forEach((name, t) -> {
                for (long i = 0; i < t.size(); i++)
                    assertEquals(t.getDouble(i), y.values().get(name).getDouble(i), 1e-9, name);
            });
        }
    }

    /** Batches of 4 in threes make 12 and 11, the last of three; those of the large run are 12 and 11. */
    @ParameterizedTest
    @EnumSource(Rule.class)
    void threeBatchesAreOneThreeTimesAsLarge(Rule r) {
        try (Trainer large = trainer(r.optimizer, words()).start();
                Trainer small =
                        trainer(r.optimizer.withAccumulation(3), words()).start()) {
            List<Epoch> a = large.fit(examples().batches(12), 3),
                    b = small.fit(examples().batches(4), 3);
            assertClose(large, small);
            for (int i = 0; i < 3; i++) {
                assertEquals(a.get(i).steps(), b.get(i).steps());
                assertEquals(a.get(i).loss(), b.get(i).loss(), 1e-12);
                assertEquals(a.get(i).metrics(), b.get(i).metrics());
            }
            assertEquals(new Position(6, 3, 0), small.position());
        }
    }

    @Test
    void accumulationIsTheSameOnReplicas() {
        Optimizer o = Optimizer.adam(0.01).withAccumulation(2);
        try (Trainer one = trainer(o, numbers()).start();
                Trainer two = trainer(o, numbers()).plan(Plan.replicas(2)).start()) {
            one.fit(examples().batches(8), 2);
            two.fit(examples().batches(8), 2);
            assertClose(one, two);
        }
    }

    @Test
    void batchesOfOneStepDropOtherElements() {
        Layer[] layers = {embedding(7, 4), flatten(), dropout(0.5), dense(3)};
        Optimizer still = Optimizer.sgd(0);
        Examples same = Examples.of(Tensor.of(Shape.of(1, 3), 1, 2, 3), Tensor.of(Shape.of(1), 0));
        Batches twice = Batches.of(List.of(0, 1).stream()
                .map(_ -> same.batches(1).epoch(0, 0).next())
                .toList());
        try (Trainer alone = trainer(still, layers).start();
                Trainer both = trainer(still.withAccumulation(2), layers).start()) {
            double once = alone.fit(same.batches(1), 1).getFirst().loss(),
                    mean = both.fit(twice, 1).getFirst().loss();
            assertNotEquals(once, mean);
        }
    }

    @Test
    void averagesAreUsedForAWhile() {
        try (Trainer t = trainer(Optimizer.adam(0.05).withAverage(0.9), words()).start()) {
            t.fit(examples().batches(6), 2);
            double[] own = value(t, "dense1/kernel"), mean = value(t, "dense1/kernel/average");
            assertArrayEquals(mean, t.averaged(() -> value(t, "dense1/kernel")));
            assertArrayEquals(own, value(t, "dense1/kernel"));
            Batches all = examples().batches(6);
            assertNotEquals(t.evaluate(all), t.averaged(() -> t.evaluate(all)));
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> t.averaged(() -> {
                        throw new OxbowException(ErrorCode.ABORTED, "enough");
                    }));
            assertEquals("enough", e.getMessage());
            assertArrayEquals(own, value(t, "dense1/kernel"));
        }
        try (Trainer t = trainer(Optimizer.adam(0.05), words()).start()) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.averaged(() -> 1));
            assertTrue(e.getMessage().contains("keeps no averages"), e.getMessage());
        }
    }

    private static double[] value(Trainer t, String name) {
        try (Checkpoint c = t.checkpoint()) {
            return c.values().get(name).doubles();
        }
    }

    @Test
    void totalsOfAConfusionAreItsMatrix() {
        try (Trainer t = trainer(Optimizer.sgd(0.1), words())
                .metrics(Metrics.confusionMatrix(3), Metrics.topK(2))
                .start()) {
            Map<String, double[]> totals = t.totals(examples().batches(5));
            double sum = 0;
            for (double d : totals.get("confusion")) sum += d;
            assertEquals(9, totals.get("confusion").length);
            assertEquals(23, sum);
            assertEquals(23, totals.get("loss")[1]);
        }
    }

    @Test
    void metricsAreTheSameOnReplicas() {
        Trainer.Config c = trainer(Optimizer.sgd(0.1), numbers())
                .metrics(Metrics.accuracy(), Metrics.topK(2), Metrics.confusionMatrix(3), Metrics.perplexity());
        Trainer.Config d = trainer(Optimizer.sgd(0.1), numbers())
                .metrics(Metrics.accuracy(), Metrics.topK(2), Metrics.confusionMatrix(3), Metrics.perplexity());
        try (Trainer one = c.start();
                Trainer two = d.plan(Plan.replicas(2)).start()) {
            Map<String, Double> a = one.evaluate(examples().batches(9)),
                    b = two.evaluate(examples().batches(9));
            a.forEach((name, figure) -> assertEquals(figure, b.get(name), 1e-12, name));
        }
    }
}
