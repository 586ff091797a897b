package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/**
 * Batch normalisation per channel: {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}, forward and
 * backward.
 */
public final class BatchNorm {

    /*
     * Sums over a channel are taken in f64 over blocks of ROWS rows, and the blocks are added in order, so that neither
     * threads nor the size of the batch cost precision or change the result.
     */

    private static final long ROWS = 1024;

    private final boolean channelsFirst;
    private final double epsilon;
    private final MemoryPool pool;
    private final Parallel parallel;

    public BatchNorm(boolean channelsFirst, double epsilon, MemoryPool pool, Parallel parallel) {
        this.channelsFirst = channelsFirst;
        this.epsilon = epsilon;
        this.pool = pool;
        this.parallel = parallel;
    }

    /**
     * Normalises with the statistics of {@code x}. {@code mean} and {@code variance} get the running statistics: the
     * batch's, its variance unbiased, mixed into the old ones by {@code factor} unless that is 1; {@code savedMean} and
     * {@code savedVariance} the batch's own, biased, for the gradient. An empty batch gives NaN.
     */
    public void train(
            Tensor x,
            Tensor scale,
            Tensor offset,
            Tensor oldMean,
            Tensor oldVariance,
            double factor,
            Tensor y,
            Tensor mean,
            Tensor variance,
            Tensor savedMean,
            Tensor savedVariance) {
        int c = Math.toIntExact(savedMean.size());
        long rows = c == 0 ? 0 : x.size() / c;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), channelsFirst, parallel);
            int w = in.dtype().size();
            double[] mu = sums(rows, c, 1, (at, i, sum) -> sum[i] += Gemm.get(w, in.address(), at + i));
            for (int i = 0; i < c; i++) mu[i] /= rows;
            double[] var = sums(rows, c, 1, (at, i, sum) -> {
                double d = Gemm.get(w, in.address(), at + i) - mu[i];
                sum[i] += d * d;
            });
            double unbiased = (double) rows / Math.max(1, rows - 1);
            for (int i = 0; i < c; i++) {
                var[i] /= rows;
                savedMean.set(i, mu[i]);
                savedVariance.set(i, var[i]);
                mean.set(i, factor == 1 ? mu[i] : (1 - factor) * oldMean.getDouble(i) + factor * mu[i]);
                variance.set(
                        i,
                        factor == 1
                                ? var[i] * unbiased
                                : (1 - factor) * oldVariance.getDouble(i) + factor * unbiased * var[i]);
            }
            if (rows > 0) apply(s, in, mu, var, scale, offset, y);
        }
    }

    /** Normalises with given statistics. */
    public void infer(Tensor x, Tensor scale, Tensor offset, Tensor mean, Tensor variance, Tensor y) {
        if (x.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            apply(
                    s,
                    Layout.last(s, s.widened(x), channelsFirst, parallel),
                    doubles(mean),
                    doubles(variance),
                    scale,
                    offset,
                    y);
        }
    }

    private void apply(Scratch s, Tensor in, double[] mean, double[] variance, Tensor scale, Tensor offset, Tensor y) {
        int c = mean.length, w = in.dtype().size();
        double[] a = new double[c], b = new double[c];
        for (int i = 0; i < c; i++) {
            a[i] = scale.getDouble(i) / Math.sqrt(variance[i] + epsilon);
            b[i] = offset.getDouble(i);
        }
        Tensor wide = s.standIn(y), out = Layout.standIn(s, wide, channelsFirst);
        parallel.run(in.size() / c, Math.max(1, (1 << 14) / c), (from, to) -> {
            for (long at = from * c; at < to * c; at += c) {
                for (int i = 0; i < c; i++)
                    Gemm.put(w, out.address(), at + i, (Gemm.get(w, in.address(), at + i) - mean[i]) * a[i] + b[i]);
            }
        });
        Layout.first(out, wide, parallel);
        s.narrow(wide, y);
    }

    /**
     * The gradient of {@link #train}, given its saved statistics:
     * {@code dx = scale / sd * (dy - mean(dy) - (x - mean) * mean(dy * (x - mean)) / (variance + epsilon))}.
     */
    public void trainGradient(
            Tensor dy, Tensor x, Tensor scale, Tensor mean, Tensor variance, Tensor dx, Tensor dScale, Tensor dOffset) {
        gradient(dy, x, scale, mean, variance, dx, dScale, dOffset, true);
    }

    /** The gradient of {@link #infer}, whose statistics are constants: {@code dx = dy * scale / sd}. */
    public void inferGradient(
            Tensor dy, Tensor x, Tensor scale, Tensor mean, Tensor variance, Tensor dx, Tensor dScale, Tensor dOffset) {
        gradient(dy, x, scale, mean, variance, dx, dScale, dOffset, false);
    }

    private void gradient(
            Tensor dy,
            Tensor x,
            Tensor scale,
            Tensor mean,
            Tensor variance,
            Tensor dx,
            Tensor dScale,
            Tensor dOffset,
            boolean training) {
        int c = Math.toIntExact(scale.size());
        long rows = c == 0 ? 0 : x.size() / c;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), channelsFirst, parallel),
                    grad = Layout.last(s, s.widened(dy), channelsFirst, parallel);
            int w = in.dtype().size();
            double[] mu = doubles(mean), var = doubles(variance);
            double[] sums = sums(rows, c, 2, (at, i, sum) -> {
                double g = Gemm.get(w, grad.address(), at + i);
                sum[i] += g;
                sum[c + i] += g * (Gemm.get(w, in.address(), at + i) - mu[i]);
            });
            double[] a = new double[c], b = new double[c], d = new double[c];
            for (int i = 0; i < c; i++) {
                double deviation = Math.sqrt(var[i] + epsilon);
                dOffset.set(i, sums[i]);
                dScale.set(i, rows == 0 ? 0 : sums[c + i] / deviation);
                a[i] = scale.getDouble(i) / deviation;
                b[i] = training ? sums[i] / rows : 0;
                d[i] = training ? sums[c + i] / rows / (var[i] + epsilon) : 0;
            }
            if (rows == 0) return;
            Tensor wide = s.standIn(dx), out = Layout.standIn(s, wide, channelsFirst);
            parallel.run(rows, Math.max(1, (1 << 14) / c), (from, to) -> {
                for (long at = from * c; at < to * c; at += c) {
                    for (int i = 0; i < c; i++) {
                        double g = Gemm.get(w, grad.address(), at + i),
                                centred = Gemm.get(w, in.address(), at + i) - mu[i];
                        Gemm.put(w, out.address(), at + i, a[i] * (g - b[i] - centred * d[i]));
                    }
                }
            });
            Layout.first(out, wide, parallel);
            s.narrow(wide, dx);
        }
    }

    private interface Term {
        void add(long row, int channel, double[] sum);
    }

    private double[] sums(long rows, int c, int kinds, Term term) {
        int blocks = Math.toIntExact((rows + ROWS - 1) / ROWS);
        double[][] parts = new double[blocks][];
        parallel.run(blocks, Math.max(1, (1 << 14) / (ROWS * Math.max(1, c))), (from, to) -> {
            for (int block = (int) from; block < to; block++) {
                double[] sum = new double[kinds * c];
                for (long r = block * ROWS; r < Math.min(rows, (block + 1) * ROWS); r++) {
                    for (int i = 0; i < c; i++) term.add(r * c, i, sum);
                }
                parts[block] = sum;
            }
        });
        double[] total = new double[kinds * c];
        for (double[] part : parts) for (int i = 0; i < total.length; i++) total[i] += part[i];
        return total;
    }

    private static double[] doubles(Tensor t) {
        double[] d = new double[Math.toIntExact(t.size())];
        for (int i = 0; i < d.length; i++) d[i] = t.getDouble(i);
        return d;
    }
}
