package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

final class NormTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void lrnAndItsGradientMatchTheFormula() {
        Random random = new Random(31);
        for (double beta : new double[] {0.5, 0.75, 1}) {
            Lrn lrn = new Lrn(2, 1.5, 0.3, beta);
            Tensor x = Numbers.uniform(random, DType.F64, 2, 2, 1, 7),
                    y = Numbers.like(x),
                    dy = Numbers.uniform(random, DType.F64, 2, 2, 1, 7),
                    dx = Numbers.like(x);
            lrn.forward(x, y, new Threads());
            lrn.gradient(dy, x, y, dx, Parallel.SERIAL);
            for (int i = 0; i < x.size(); i++) {
                double h = 1e-6, old = x.getDouble(i);
                Tensor plus = Numbers.copy(x), minus = Numbers.copy(x), a = Numbers.like(x), b = Numbers.like(x);
                plus.set(i, old + h);
                minus.set(i, old - h);
                lrn.forward(plus, a, Parallel.SERIAL);
                lrn.forward(minus, b, Parallel.SERIAL);
                assertEquals((Numbers.dot(a, dy) - Numbers.dot(b, dy)) / (2 * h), dx.getDouble(i), 1e-7);
            }
            double norm = 1.5;
            for (int k = 0; k <= 2; k++) norm += 0.3 * x.getDouble(k) * x.getDouble(k);
            assertEquals(x.getDouble(0) / Math.pow(norm, beta), y.getDouble(0), 1e-12);
        }
    }

    @Test
    void batchNormUsesAndReportsBatchStatistics() {
        // Channel values 1, 3 and 2, 6: means 2 and 4, biased variances 1 and 4, unbiased 2 and 8.
        Tensor x = Tensor.of(Shape.of(2, 1, 1, 2), 1f, 2, 3, 6),
                scale = Tensor.of(Shape.of(2), 1f, 2),
                offset = Tensor.of(Shape.of(2), 0f, 1);
        Tensor y = Numbers.like(x),
                mean = Numbers.like(scale),
                var = Numbers.like(scale),
                savedMean = Numbers.like(scale),
                savedVar = Numbers.like(scale);
        BatchNorm norm = new BatchNorm(false, 0, POOL, Parallel.SERIAL);
        norm.train(x, scale, offset, scale, scale, 1, y, mean, var, savedMean, savedVar);
        assertArrayEquals(new float[] {-1, -1, 1, 3}, y.floats());
        assertArrayEquals(new float[] {2, 4}, mean.floats());
        assertArrayEquals(new float[] {2, 8}, var.floats());
        assertArrayEquals(new float[] {1, 4}, savedVar.floats());
        norm.train(x, scale, offset, scale, scale, 0.5, y, mean, var, savedMean, savedVar);
        assertArrayEquals(new float[] {1.5f, 3}, mean.floats());
        assertArrayEquals(new float[] {1.5f, 5}, var.floats());
        norm.infer(x, scale, offset, savedMean, savedVar, y);
        assertArrayEquals(new float[] {-1, -1, 1, 3}, y.floats());
    }

    @Test
    void batchesFarFromZeroKeepTheirVarianceInAnyNumberOfPixels() {
        for (long pixels : new long[] {1, 7, 64, 96}) {
            Random random = new Random(pixels);
            Tensor x = Tensor.allocate(DType.F32, Shape.of(pixels, 1, 1, 5));
            double[] sum = new double[5], squares = new double[5];
            for (int i = 0; i < x.size(); i++) x.set(i, 5000 * (1 + i % 5) + random.nextGaussian());
            for (int i = 0; i < x.size(); i++) sum[i % 5] += x.getDouble(i) / pixels;
            for (int i = 0; i < x.size(); i++) squares[i % 5] += Math.pow(x.getDouble(i) - sum[i % 5], 2) / pixels;
            Tensor ones = Tensor.of(Shape.of(5), 1f, 1f, 1f, 1f, 1f),
                    mean = Numbers.like(ones),
                    var = Numbers.like(ones);
            new BatchNorm(false, 1e-3, POOL, new Threads())
                    .train(
                            x,
                            ones,
                            ones,
                            ones,
                            ones,
                            1,
                            Numbers.like(x),
                            Numbers.like(ones),
                            Numbers.like(ones),
                            mean,
                            var);
            for (int i = 0; i < 5; i++) {
                assertEquals(sum[i], mean.getDouble(i), 1e-7 * sum[i], "seed " + pixels);
                assertEquals(squares[i], var.getDouble(i), 1e-6 * squares[i] + 1e-9, "seed " + pixels);
            }
        }
    }

    @Test
    void batchNormGradientsMatchDifferences() {
        Random random = new Random(32);
        for (boolean first : new boolean[] {false, true}) {
            for (boolean training : new boolean[] {false, true}) {
                BatchNorm norm = new BatchNorm(first, 1e-3, POOL, new Threads());
                long[] dims = first ? new long[] {2, 3, 2, 2} : new long[] {2, 2, 2, 3};
                Tensor x = Numbers.uniform(random, DType.F64, dims),
                        dy = Numbers.uniform(random, DType.F64, dims),
                        scale = Numbers.uniform(random, DType.F64, 3);
                Tensor offset = Numbers.uniform(random, DType.F64, 3),
                        m = Numbers.uniform(random, DType.F64, 3),
                        v = Tensor.of(Shape.of(3), 0.5, 1, 2);
                Tensor y = Numbers.like(x),
                        a = Numbers.like(scale),
                        b = Numbers.like(scale),
                        dx = Numbers.like(x),
                        ds = Numbers.like(scale),
                        dOffset = Numbers.like(scale);
                BiFunction<Tensor, Tensor, Double> value = (xs, ss) -> {
                    if (training) norm.train(xs, ss, offset, m, v, 1, y, a, b, m, v);
                    else norm.infer(xs, ss, offset, m, v, y);
                    return Numbers.dot(y, dy);
                };
                value.apply(x, scale);
                if (training) norm.trainGradient(dy, x, scale, m, v, dx, ds, dOffset);
                else norm.inferGradient(dy, x, scale, m, v, dx, ds, dOffset);
                for (int i = 0; i < x.size(); i++)
                    assertEquals(difference(x, i, t -> value.apply(t, scale)), dx.getDouble(i), 1e-6);
                for (int i = 0; i < 3; i++)
                    assertEquals(difference(scale, i, t -> value.apply(x, t)), ds.getDouble(i), 1e-6);
            }
        }
    }

    private static double difference(Tensor x, int i, ToDoubleFunction<Tensor> f) {
        double h = 1e-5;
        Tensor plus = Numbers.copy(x), minus = Numbers.copy(x);
        plus.set(i, x.getDouble(i) + h);
        minus.set(i, x.getDouble(i) - h);
        return (f.applyAsDouble(plus) - f.applyAsDouble(minus)) / (2 * h);
    }

    @Test
    void anEmptyBatchHasNoStatistics() {
        Tensor x = Tensor.zeros(DType.F32, Shape.of(0, 1, 1, 2)), scale = Tensor.of(Shape.of(2), 1f, 2);
        Tensor mean = Numbers.like(scale),
                var = Numbers.like(scale),
                sm = Numbers.like(scale),
                sv = Numbers.like(scale);
        new BatchNorm(false, 0, POOL, Parallel.SERIAL)
                .train(x, scale, scale, scale, scale, 1, Numbers.like(x), mean, var, sm, sv);
        assertTrue(Double.isNaN(mean.getDouble(0)) && Double.isNaN(sv.getDouble(1)));
    }

    @Test
    void softmaxRowsSumToOneEvenForHugeInputs() {
        for (DType t : new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16}) {
            Tensor x = Tensor.allocate(t, Shape.of(2, 3)), y = Numbers.like(x);
            double[] v = {1000, 1001, 1002, -1, 0, 1};
            for (int i = 0; i < 6; i++) x.set(i, t == DType.BF16 && i < 3 ? i : v[i]);
            Softmax.run(x, y, new Threads());
            double tolerance = t == DType.BF16 ? 4e-3 : t == DType.F16 ? 5e-4 : 1e-7;
            assertEquals(0.66524096, y.getDouble(2), tolerance); // exp(2) / (1 + e + exp(2))
            assertEquals(1, y.getDouble(0) + y.getDouble(1) + y.getDouble(2), 2 * tolerance);
            Softmax.log(x, y, Parallel.SERIAL);
            assertEquals(Math.log(0.66524096), y.getDouble(5), 4 * tolerance);
        }
    }

    @Test
    void crossEntropiesAgreeAndNameABadLabel() {
        Tensor x = Tensor.of(Shape.of(2, 3), 1f, 2, 3, 0, 0, 0),
                hot = Tensor.of(Shape.of(2, 3), 0f, 0, 1, 0, 1, 0),
                ids = Tensor.of(Shape.of(2), 2L, 1L);
        Tensor loss = Tensor.zeros(DType.F32, Shape.of(2)),
                loss2 = Numbers.like(loss),
                dx = Numbers.like(x),
                dx2 = Numbers.like(x);
        Softmax.crossEntropy(x, hot, loss, dx, Parallel.SERIAL);
        Softmax.sparseCrossEntropy(x, ids, loss2, dx2, Parallel.SERIAL);
        assertArrayEquals(loss.floats(), loss2.floats(), 1e-6f);
        assertArrayEquals(dx.floats(), dx2.floats(), 1e-6f);
        assertEquals(Math.log(3), loss.getDouble(1), 1e-6);
        assertEquals(1.0 / 3 - 1, dx.getDouble(4), 1e-6);
        Softmax.crossEntropy(Tensor.of(Shape.of(1, 3), 1f, 2, 3), hot, loss, dx, Parallel.SERIAL);
        assertEquals(loss2.getDouble(0), loss.getDouble(0), 1e-6);
        var e = assertThrows(
                OxbowException.class,
                () -> Softmax.sparseCrossEntropy(x, Tensor.of(Shape.of(2), 2L, 3L), loss, dx, Parallel.SERIAL));
        assertEquals(
                "Received a label value of 3 which is outside the valid range of [0, 3). labels[1]", e.getMessage());
    }
}
