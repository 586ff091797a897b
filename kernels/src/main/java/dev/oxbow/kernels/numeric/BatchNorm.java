package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Batch normalisation per channel: {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}, forward and
 * backward.
 */
public final class BatchNorm {

    /*
     * What has an element for each pixel is computed by fused kernels, in either layout as it lies: images are
     * seen as [batch, channels, inner] or [pixels, channels], and vectors of channels are broadcast. What
     * has an element for each channel is computed in f64 here. 16-bit floats are computed in f32.
     *
     * Mean and variance come from one pass: of sums, in f64, of the distances from a channel's first element and of
     * their squares. That element is as far from the mean as others, so little is lost in the difference of the two. Where
     * channels are few and last, some pixels are seen as one, which has as many times the channels: rows are longer then.
     */

    /** The kernels of a dtype of images. */
    private record Kernels(Reduction moments, ElementwiseKernel apply, Reduction sums, ElementwiseKernel dx) {
        static final Map<DType, Kernels> BY_DTYPE = new ConcurrentHashMap<>();

        static Kernels of(DType dtype) {
            return BY_DTYPE.computeIfAbsent(dtype, Kernels::make);
        }

        private static Kernels make(DType dtype) {
            return new Kernels(
                    Reduction.of(Operation.SUM, BatchNormFormulas.moments(dtype)),
                    ElementwiseKernel.of(BatchNormFormulas.apply(dtype)),
                    Reduction.of(Operation.SUM, BatchNormFormulas.sums(dtype)),
                    ElementwiseKernel.of(BatchNormFormulas.dx(dtype)));
        }
    }

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
        long c = savedMean.size(), rows = c == 0 ? 0 : x.size() / c;
        if (c == 0) return;
        try (Images images = new Images(x, c)) {
            Tensor in = images.view(x);
            double[] first = new double[Counts.toInt(c)];
            for (int i = 0; i < c && rows > 0; i++) {
                double value = x.getDouble(channelsFirst ? i * images.shape.dim(2) : i);
                if (Double.isFinite(value)) first[i] = value;
            }
            double[][] sums = images.sums(images.kernels.moments, DType.F64, in, images.vector(first));
            double[] mu = new double[first.length], var = new double[first.length];
            double unbiased = (double) rows / Math.max(1, rows - 1);
            for (int i = 0; i < c; i++) {
                double distance = sums[0][i] / rows;
                double m = mu[i] = first[i] + distance;
                double v = var[i] = Math.max(0, sums[1][i] / rows - distance * distance);
                savedMean.set(i, m);
                savedVariance.set(i, v);
                mean.set(i, factor == 1 ? m : (1 - factor) * oldMean.getDouble(i) + factor * m);
                variance.set(
                        i,
                        factor == 1 ? v * unbiased : (1 - factor) * oldVariance.getDouble(i) + factor * unbiased * v);
            }
            apply(images, in, mu, var, scale, offset, y);
        }
    }

    /** Normalises with given statistics. */
    public void infer(Tensor x, Tensor scale, Tensor offset, Tensor mean, Tensor variance, Tensor y) {
        if (x.size() == 0) return;
        try (Images images = new Images(x, mean.size())) {
            apply(images, images.view(x), doubles(mean), doubles(variance), scale, offset, y);
        }
    }

    private static double[] doubles(Tensor t) {
        double[] all = new double[Counts.toInt(t.size())];
        for (int i = 0; i < all.length; i++) all[i] = t.getDouble(i);
        return all;
    }

    private void apply(
            Images images, Tensor x, double[] mean, double[] variance, Tensor scale, Tensor offset, Tensor y) {
        if (x.size() == 0) return;
        double[] factor = new double[mean.length];
        for (int i = 0; i < factor.length; i++) factor[i] = scale.getDouble(i) / Math.sqrt(variance[i] + epsilon);
        Tensor[] in = {x, images.vector(mean), images.vector(factor), images.vector(doubles(offset))};
        images.kernels.apply.run(parallel, images.shape, in, new Tensor[] {images.view(y)});
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
        long c = scale.size(), rows = c == 0 ? 0 : x.size() / c;
        if (c == 0) return;
        try (Images images = new Images(x, c)) {
            Tensor in = images.view(x), grad = images.view(dy), mu = images.vector(doubles(mean));
            double[][] sums = images.sums(images.kernels.sums, images.computed, in, grad, mu);
            double[] sum = sums[0], moment = sums[1], a = new double[sum.length];
            for (int i = 0; i < c; i++) {
                double v = variance.getDouble(i) + epsilon, deviation = Math.sqrt(v);
                dOffset.set(i, sum[i]);
                dScale.set(i, rows == 0 ? 0 : moment[i] / deviation);
                a[i] = scale.getDouble(i) / deviation;
                sum[i] = training ? sum[i] / rows : 0;
                moment[i] = training ? moment[i] / rows / v : 0;
            }
            if (rows == 0) return;
            Tensor[] inputs = {in, grad, mu, images.vector(a), images.vector(sum), images.vector(moment)};
            images.kernels.dx.run(parallel, images.shape, inputs, new Tensor[] {images.view(dx)});
        }
    }

    /** Images of one shape as kernels see them, with vectors of channels that broadcast against them. */
    private final class Images implements AutoCloseable {
        /** Elements of a row that are worth making it of several pixels. */
        private static final long ROW = 128;

        final Kernels kernels;
        final Shape shape;
        final int[] axes;
        final DType computed;
        private final Shape vector;
        private final long channels;
        private final long pixels;
        private final Scratch scratch = new Scratch(pool, parallel);

        Images(Tensor x, long channels) {
            this.channels = channels;
            kernels = Kernels.of(x.dtype());
            computed = Scratch.computed(x.dtype());
            long n = channelsFirst ? x.shape().dim(0) : x.size() / channels, together = 1;
            while (!channelsFirst && 2 * together * channels <= ROW && n > 0 && n % (2 * together) == 0) together *= 2;
            pixels = together;
            shape = channelsFirst
                    ? Shape.of(n, channels, x.shape().size(2, x.shape().rank()))
                    : Shape.of(n / pixels, pixels * channels);
            axes = channelsFirst ? new int[] {0, 2} : new int[] {0};
            vector = channelsFirst ? Shape.of(channels, 1) : Shape.of(pixels * channels);
        }

        Tensor view(Tensor t) {
            Tensor v = t.view(shape);
            scratch.release(v);
            return v;
        }

        Tensor vector(double[] values) {
            Tensor v = scratch.tensor(computed, vector.dims());
            for (int i = 0; i < v.size(); i++) v.set(i, values[i % values.length]);
            return v;
        }

        /** The two sums of a reduction of this type, for each channel. */
        double[][] sums(Reduction of, DType type, Tensor... inputs) {
            Tensor[] parts = {scratch.tensor(type, vector.dims()), scratch.tensor(type, vector.dims())};
            of.run(parallel, shape, axes, inputs, parts);
            double[][] sums = new double[2][Counts.toInt(channels)];
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < parts[k].size(); i++) sums[k][i % sums[k].length] += parts[k].getDouble(i);
            return sums;
        }

        @Override
        public void close() {
            scratch.close();
        }
    }
}
