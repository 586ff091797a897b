package dev.oxbow.kernels.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;

/** Samples of distributions with parameters: categorical, gamma, Poisson; TensorFlow's algorithms on its stream. */
public final class Draws {
    private Draws() {}

    /** The outputs to reserve for {@link #categorical}. */
    public static long categoricalOutputs(long batch, long samples) {
        return batch * ((samples + 3) / 4 * 4) * 2;
    }

    /** {@code y[b, s]} = a class drawn with probability proportional to {@code exp(logits[b, class])}. */
    public static void categorical(Philox stream, Tensor logits, Tensor y) {
        long batch = logits.shape().dim(0), samples = y.shape().dim(1);
        int classes = Counts.toInt(logits.shape().dim(1));
        require(classes > 0, INVALID_ARGUMENT, "Multinomial: num_classes should be positive, got %d", classes);
        double cost = 50 * (samples * Math.log(classes) / Math.log(2) + classes);
        long rows = rowsPerTask(batch, (long) cost);
        Samples source = null;
        double[] cdf = new double[classes];
        for (long b = 0; b < batch; b++) {
            if (b % rows == 0) source = new Samples(stream.at(b * (samples + 3) / 4));
            double max = -Double.MAX_VALUE, total = 0;
            for (int j = 0; j < classes; j++) {
                double l = logits.getDouble(b * classes + j);
                if (Double.isFinite(l)) max = Math.max(max, l);
            }
            for (int j = 0; j < classes; j++) {
                double l = logits.getDouble(b * classes + j);
                if (Double.isFinite(l)) total += Math.exp(l - max);
                cdf[j] = total;
            }
            for (long s = 0; s < samples; s++) {
                double wanted = Samples.toDouble(source.next(), source.next()) * total;
                y.setLong(b * samples + s, above(cdf, wanted));
            }
        }
    }

    /*
     * TensorFlow cuts the rows into tasks by their cost and the number of threads, and a task starts its numbers where
     * its first row says, so that the numbers of later rows depend on the cut. Ours is always the cut for two threads,
     * those of the machine on which the answers that we compare with were recorded.
     */
    private static final int THREADS = 2;

    private static long rowsPerTask(long n, long cost) {
        if (n <= 1 || THREADS == 1 || (n * (double) cost - 100_000) / 100_000 + 0.9 < 2) return Math.max(1, n);
        long size = Math.min(n, Math.max(Math.ceilDiv(n, 4L * THREADS), (long) (40_000.0 / cost)));
        long most = Math.min(n, 2 * size), count = Math.ceilDiv(n, size), previous = count;
        double best = efficiency(count);
        while (best < 1 && previous > 1) {
            long coarser = Math.ceilDiv(n, previous - 1);
            if (coarser > most) break;
            previous = Math.ceilDiv(n, coarser);
            double e = efficiency(previous);
            if (e + 0.01 >= best) {
                size = coarser;
                best = Math.max(best, e);
            }
        }
        return size;
    }

    private static double efficiency(long tasks) {
        return (double) tasks / (Math.ceilDiv(tasks, (long) THREADS) * THREADS);
    }

    /** The first position whose value is greater than {@code wanted}. */
    private static int above(double[] sorted, double wanted) {
        int low = 0, high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] > wanted) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    /** {@code y[s, i]} ~ Gamma(alpha[i], 1), by Marsaglia and Tsang's method. */
    public static void gamma(Philox stream, Tensor alpha, Tensor y, Parallel parallel) {
        long alphas = alpha.size(), samples = alphas == 0 ? 0 : y.size() / alphas;
        parallel.run(alphas * samples, 256, (from, to) -> {
            for (long o = from; o < to; o++) {
                long i = o / samples, s = o % samples;
                Pairs source = new Pairs(stream.at(PhiloxState.BLOCKS_PER_OUTPUT * o));
                y.set(s * alphas + i, gamma(source, alpha.getDouble(i)));
            }
        });
    }

    private static double gamma(Pairs source, double alpha) {
        if (alpha == 1) return -Math.log1p(-source.uniform());
        boolean small = alpha < 1;
        double d = alpha + (small ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / Math.sqrt(d);
        while (true) {
            double x = source.normal(), v = 1 + c * x;
            if (v <= 0) continue;
            v = v * v * v;
            double u = source.uniform();
            if (u < 1 - 0.0331 * (x * x) * (x * x) || Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) {
                return small ? d * v * Math.pow(source.uniform(), 1 / alpha) : d * v;
            }
        }
    }

    /** {@code y[s, i]} ~ Poisson(rate[i]): Knuth's products below 10, Hörmann's transformed rejection above. */
    public static void poisson(Philox stream, Tensor rate, Tensor y, Parallel parallel) {
        long rates = rate.size(), samples = rates == 0 ? 0 : y.size() / rates;
        parallel.run(rates * samples, 256, (from, to) -> {
            for (long o = from; o < to; o++) {
                long i = o / samples, s = o % samples;
                Pairs source = new Pairs(stream.at(PhiloxState.BLOCKS_PER_OUTPUT * o));
                double r = rate.getDouble(i);
                y.set(
                        s * rates + i,
                        !Double.isFinite(r) || r < 0 ? Double.NaN : r < 10 ? small(source, r) : large(source, r));
            }
        });
    }

    private static double small(Pairs source, double rate) {
        double limit = Math.exp(-rate), product = 1, x = 0;
        while (true) {
            product *= source.uniform();
            if (product <= limit) return x;
            x++;
        }
    }

    private static double large(Pairs source, double rate) {
        double logRate = Math.log(rate), b = 0.931 + 2.53 * Math.sqrt(rate), a = -0.059 + 0.02483 * b;
        double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
        while (true) {
            double u = source.uniform() - 0.5, v = source.uniform(), shifted = 0.5 - Math.abs(u);
            double k = Math.floor((2 * a / shifted + b) * u + rate + 0.43);
            if (k > Double.MAX_VALUE) continue;
            if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
            if (k < 0 || shifted < 0.013 && v > shifted) continue;
            double s = Math.log(v * inverseAlpha / (a / (shifted * shifted) + b));
            if (s <= -rate + k * logRate - LogGamma.of(k + 1)) return k;
        }
    }
}
