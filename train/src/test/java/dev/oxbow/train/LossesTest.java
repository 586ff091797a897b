package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Loss;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.loss.Metrics;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Losses and metrics against figures computed by hand; gradients of losses against central differences. */
final class LossesTest {

    /** A tensor of doubles. */
    private static Tensor of(long[] dims, double... values) {
        return Tensor.of(Shape.of(dims), values);
    }

    private static long[] dims(long... d) {
        return d;
    }

    private static double[] run(Value v) {
        try (Session s = Session.open(v.graph());
                Results r = s.fetch(v.edge()).run()) {
            return r.get(0).doubles();
        }
    }

    private static double[] each(Loss loss, Tensor prediction, Tensor target) {
        Ops ops = Ops.in(new Graph());
        return run(loss.of(ops.constant(prediction), ops.constant(target)));
    }

    private static void differentiates(Loss loss, Tensor target, long... shape) {
        try (LayerCheck check = LayerCheck.of((b, x) -> loss.of(x, b.ops().constant(target)), shape)) {
            check.differentiates();
        }
    }

    @Test
    void regressionLossesAreMeansOverAnExample() {
        Tensor p = of(dims(2, 2), 1, 2, 3, 5), t = of(dims(2, 2), 1.5, 0, 3, 1);
        assertArrayEquals(new double[] {(0.25 + 4) / 2, 16.0 / 2}, each(Losses.squaredError(), p, t), 1e-12);
        assertArrayEquals(new double[] {(0.5 + 2) / 2, 4.0 / 2}, each(Losses.absoluteError(), p, t), 1e-12);
        // Within delta e^2 / 2 = 0.125, beyond it e - 1/2.
        assertArrayEquals(new double[] {(0.125 + 1.5) / 2, 3.5 / 2}, each(Losses.huber(1), p, t), 1e-12);
        Tensor signs = of(dims(2, 2), 1, -1, -1, 1);
        assertArrayEquals(new double[] {(0 + 3) / 2.0, (4 + 0) / 2.0}, each(Losses.hinge(), p, signs), 1e-12);
    }

    @Test
    void crossEntropiesAgreeWithEachOther() {
        // softmax of (0, log 3) is (1/4, 3/4)
        Tensor logits = of(dims(2, 2), 0, Math.log(3), Math.log(3), 0), shares = of(dims(2, 2), 0.25, 0.75, 0.75, 0.25);
        Tensor hot = of(dims(2, 2), 0, 1, 0, 1), numbers = Tensor.of(Shape.of(2), 1, 1);
        double[] expected = {Math.log(4 / 3.0), Math.log(4)};
        assertArrayEquals(expected, each(Losses.crossEntropy(), logits, hot), 1e-12);
        assertArrayEquals(expected, each(Losses.sparseCrossEntropy(), logits, numbers), 1e-12);
        assertArrayEquals(expected, each(Losses.crossEntropyOfProbabilities(), shares, hot), 1e-12);
        double mean = (Math.log(4 / 3.0) + Math.log(4)) / 2;
        double[] smooth = {0.8 * expected[0] + 0.2 * mean, 0.8 * expected[1] + 0.2 * mean};
        assertArrayEquals(smooth, each(Losses.crossEntropy(0.2), logits, hot), 1e-12);
        assertArrayEquals(smooth, each(Losses.sparseCrossEntropy(0.2), logits, numbers), 1e-12);
        assertArrayEquals(expected, each(Losses.kullbackLeibler(), logits, hot), 1e-12);
        assertArrayEquals(new double[] {0, 0}, each(Losses.kullbackLeibler(), logits, shares), 1e-12);
    }

    @Test
    void crossEntropyOfSequencesIsTheMeanOverPositions() {
        Tensor logits = of(dims(1, 2, 2), 0, Math.log(3), Math.log(3), 0);
        double expected = (Math.log(4 / 3.0) + Math.log(4)) / 2;
        assertArrayEquals(
                new double[] {expected},
                each(Losses.sparseCrossEntropy(), logits, Tensor.of(Shape.of(1, 2), 1, 1)),
                1e-12);
        assertArrayEquals(
                new double[] {expected}, each(Losses.crossEntropy(), logits, of(dims(1, 2, 2), 0, 1, 0, 1)), 1e-12);
    }

    @Test
    void binaryCrossEntropyIsPreciseFarOut() {
        Tensor logits = of(dims(4, 1), Math.log(3), Math.log(3), 800, -800), yes = of(dims(4, 1), 1, 0, 0, 1);
        assertArrayEquals(
                new double[] {Math.log(4 / 3.0), Math.log(4), 800, 800},
                each(Losses.binaryCrossEntropy(), logits, yes),
                1e-12);
        assertArrayEquals(
                new double[] {Math.log(4 / 3.0), Math.log(4)},
                each(Losses.binaryCrossEntropyOfProbabilities(), of(dims(2, 1), 0.75, 0.75), of(dims(2, 1), 1, 0)),
                1e-12);
    }

    @Test
    void lossesDifferentiate() {
        Tensor any = of(dims(2, 3), 0.3, -1, 2, 0.1, 0.7, -0.2), signs = of(dims(2, 3), 1, -1, 1, -1, -1, 1);
        Tensor shares = of(dims(2, 3), 0.2, 0.5, 0.3, 0, 1, 0), numbers = Tensor.of(Shape.of(2), 2, 0);
        for (Loss l : List.of(Losses.squaredError(), Losses.absoluteError(), Losses.huber(0.7)))
            differentiates(l, any, 2, 3);
        differentiates(Losses.hinge(), signs, 2, 3);
        for (Loss l : List.of(
                Losses.crossEntropy(), Losses.crossEntropy(0.1), Losses.kullbackLeibler(), Losses.binaryCrossEntropy()))
            differentiates(l, shares, 2, 3);
        differentiates(Losses.sparseCrossEntropy(), numbers, 2, 3);
        differentiates(Losses.sparseCrossEntropy(0.1), numbers, 2, 3);
    }

    /** The figure over batches of different sizes. */
    private static double figure(Metric m, Tensor prediction, Tensor target, int... batches) {
        double[] totals = null;
        long at = 0;
        for (int n : batches) {
            Ops ops = Ops.in(new Graph());
            double[] part = run(m.sums(ops.constant(prediction.rows(at, n)), ops.constant(target.rows(at, n))));
            if (totals == null) totals = new double[part.length];
            for (int i = 0; i < part.length; i++) totals[i] += part[i];
            at += n;
        }
        assertEquals(prediction.shape().dim(0), at);
        return m.result(totals);
    }

    @Test
    void classMetricsAddUpOverUnevenBatches() {
        Tensor scores = of(dims(5, 3), 3, 1, 2, 0, 5, 4, 1, 2, 3, 9, 8, 7, 0, 1, 0);
        Tensor right = Tensor.of(Shape.of(5), 0, 2, 0, 0, 1); // the greatest are 0, 1, 2, 0, 1
        assertEquals(3 / 5.0, figure(Metrics.accuracy(), scores, right, 3, 2), 1e-12);
        assertEquals(4 / 5.0, figure(Metrics.topK(2), scores, right, 4, 1), 1e-12);
        assertEquals(1, figure(Metrics.topK(3), scores, right, 5), 1e-12);
        // Recalls: class 0 has 2 of 3, class 1 has 1 of 1, class 2 has 0 of 1.
        assertEquals((2 / 3.0 + 1 + 0) / 3, figure(Metrics.confusionMatrix(3), scores, right, 2, 3), 1e-12);
        Tensor hot = of(dims(5, 3), 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0);
        assertEquals(3 / 5.0, figure(Metrics.accuracy(), scores, hot, 1, 4), 1e-12);
    }

    @Test
    void aConfusionMatrixCountsByRows() {
        Ops ops = Ops.in(new Graph());
        Value sums = Metrics.confusionMatrix(2)
                .sums(
                        ops.constant(of(dims(4, 2), 1, 0, 0, 1, 0, 1, 0, 1)),
                        ops.constant(Tensor.of(Shape.of(4), 0, 0, 1, 1)));
        assertArrayEquals(new double[] {1, 1, 0, 2}, run(sums));
    }

    @Test
    void binaryMetricsAddUpOverUnevenBatches() {
        Tensor scores = of(dims(6, 1), 2, 1, -1, -2, 3, -3), right = of(dims(6, 1), 1, 0, 1, 0, 1, 0);
        assertEquals(4 / 6.0, figure(Metrics.binaryAccuracy(), scores, right, 4, 2), 1e-12);
        assertEquals(2 / 3.0, figure(Metrics.precision(0), scores, right, 1, 5), 1e-12);
        assertEquals(3 / 4.0, figure(Metrics.precision(-1.5), scores, right, 6), 1e-12);
        assertEquals(2 / 3.0, figure(Metrics.recall(0), scores, right, 5, 1), 1e-12);
        assertEquals(2 / 3.0, figure(Metrics.f1(0), scores, right, 2, 4), 1e-12);
        // Of 9 pairs of a positive (2, -1, 3) and a negative (1, -2, -3) one is the wrong way round: -1 below 1.
        assertEquals(8 / 9.0, figure(Metrics.auc(), scores, right, 4, 2), 1e-12);
        assertEquals(
                1, figure(Metrics.aucOfProbabilities(), of(dims(2, 1), 0.2, 0.7), of(dims(2, 1), 0, 1), 1, 1), 1e-12);
        assertEquals(
                0.5, figure(Metrics.aucOfProbabilities(), of(dims(2, 1), 0.4, 0.4), of(dims(2, 1), 0, 1), 2), 1e-12);
    }

    @Test
    void meansOfLossesAddUpOverUnevenBatches() {
        Tensor p = of(dims(3, 1), 1, 2, 3), t = of(dims(3, 1), 1, 0, 2);
        assertEquals(5 / 3.0, figure(Metrics.squaredError(), p, t, 2, 1), 1e-12);
        assertEquals(1, figure(Metrics.absoluteError(), p, t, 1, 2), 1e-12);
        Tensor logits = of(dims(2, 2), 0, Math.log(3), Math.log(3), 0);
        // exp((log 4/3 + log 4) / 2) = sqrt(16 / 3)
        assertEquals(
                Math.sqrt(16 / 3.0), figure(Metrics.perplexity(), logits, Tensor.of(Shape.of(2), 1, 1), 1, 1), 1e-12);
    }

    @Test
    void metricsOfFloatsAreDoubles() {
        Ops ops = Ops.in(new Graph());
        Value p = ops.placeholder(DType.F32, Shape.of(-1, 3)), t = ops.placeholder(DType.I32, Shape.of(-1));
        for (Metric m :
                List.of(Metrics.accuracy(), Metrics.topK(2), Metrics.confusionMatrix(3), Metrics.perplexity())) {
            assertEquals(DType.F64, m.sums(p, t).dtype(), m.name());
            assertEquals(1, m.sums(p, t).shape().rank(), m.name());
        }
    }
}
