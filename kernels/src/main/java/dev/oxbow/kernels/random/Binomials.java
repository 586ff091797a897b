package dev.oxbow.kernels.random;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.BroadcastIndex;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Numbers of binomial distributions on TensorFlow's stream: sums of geometric numbers where few successes are expected, else
 * Hörmann's transformed rejection with squeeze (BTRS, 1993).
 */
public final class Binomials {
    /** Blocks between the numbers of two elements. */
    private static final int FEW = 42, MANY = 256;

    /** What Stirling's formula lacks of {@code log(k!)}, for small k. */
    private static final double[] TAILS = {
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287
    };

    private Binomials() {}

    /** Fills {@code y}, whose shape ends with {@code batch}, the broadcast of counts and probabilities. */
    public static void fill(Philox stream, Tensor counts, Tensor chances, Shape batch, Tensor y, Parallel parallel) {
        long batches = batch.size(), samples = batches == 0 ? 0 : y.size() / batches;
        long[] count = BroadcastIndex.of(counts.shape(), batch), chance = BroadcastIndex.of(chances.shape(), batch);
        parallel.run(batches * samples, 256, (from, to) -> {
            for (long o = from; o < to; o++) {
                int b = (int) (o / samples);
                double n = counts.getDouble(count[b]), p = chances.getDouble(chance[b]);
                y.set(o % samples * batches + b, draw(stream, o, n, p, chances.dtype()));
            }
        });
    }

    private static double draw(Philox stream, long element, double n, double p, DType dtype) {
        if (n <= 0 || p <= 0) return 0;
        if (p >= 1) return n;
        if (Double.isNaN(p) || Double.isNaN(n)) return Double.NaN;
        if (p <= 0.5) return successes(stream, element, n, p, dtype);
        return n - successes(stream, element, n, round(1 - p, dtype), dtype);
    }

    private static double successes(Philox stream, long element, double n, double p, DType dtype) {
        return round(n * p, dtype) >= 10
                ? many(new Pairs(stream.at(MANY * element)), n, p)
                : few(new Pairs(stream.at(FEW * element)), n, p);
    }

    private static double round(double x, DType dtype) {
        return switch (dtype) {
            case F16 -> Half.fromF16(Half.toF16((float) x));
            case F32 -> (float) x;
            default -> x;
        };
    }

    private static double few(Pairs source, double n, double p) {
        double trials = 0, found = 0, scale = Math.log1p(-p);
        while (true) {
            trials += Math.ceil(Math.log(source.uniform()) / scale);
            if (!(trials <= n)) return found;
            found++;
        }
    }

    private static double many(Pairs source, double n, double p) {
        double deviation = Math.sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
        double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, tight = 0.92 - 4.2 / b, r = p / (1 - p);
        double alpha = (2.83 + 5.1 / b) * deviation, m = Math.floor((n + 1) * p);
        while (true) {
            double u = source.uniform(), v = source.uniform();
            u -= 0.5;
            double s = 0.5 - Math.abs(u), k = Math.floor((2 * a / s + b) * u + c);
            if (s >= 0.07 && v <= tight) return k;
            if (k < 0 || k > n) continue;
            double bound = (m + 0.5) * Math.log((m + 1) / (r * (n - m + 1)))
                    + (n + 1) * Math.log((n - m + 1) / (n - k + 1))
                    + (k + 0.5) * Math.log(r * (n - k + 1) / (k + 1))
                    + tail(m)
                    + tail(n - m)
                    - tail(k)
                    - tail(n - k);
            if (Math.log(v * alpha / (a / (s * s) + b)) <= bound) return k;
        }
    }

    private static double tail(double k) {
        if (k <= 9) return TAILS[(int) k];
        double square = (k + 1) * (k + 1);
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
    }
}
