package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.kernels.expr.Reduction.Operation;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
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
     */

    /** The kernels of a dtype of images. */
    private record Kernels(
            Reduction mean, Reduction variance, ElementwiseKernel apply, Reduction sums, ElementwiseKernel dx) {
        static final Map<DType, Kernels> BY_DTYPE = new ConcurrentHashMap<>();

        static Kernels of(DType dtype) {
            return BY_DTYPE.computeIfAbsent(dtype, Kernels::make);
        }

        private static Kernels make(DType dtype) {
            DType computed = Scratch.computed(dtype);
            Expr x = Expr.input(0, dtype).cast(computed),
                    dy = Expr.input(1, dtype).cast(computed);
            Expr[] v = new Expr[6];
            for (int i = 1; i < v.length; i++) v[i] = Expr.input(i, computed);
            Expr y = x.minus(v[1]).times(v[2]).plus(v[3]), centred = x.minus(v[2]);
            // Of dy and x with vectors mean, factor, mean of dy, and slope.
            Expr dx = dy.minus(v[4]).minus(centred.times(v[5])).times(v[3]);
            return new Kernels(
                    Reduction.of(Operation.MEAN, x),
                    Reduction.of(Operation.MEAN, x.minus(v[1]).square()),
                    ElementwiseKernel.of(y.cast(dtype)),
                    Reduction.of(Operation.SUM, List.of(dy, dy.times(centred))),
                    ElementwiseKernel.of(dx.cast(dtype)));
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
            Tensor in = images.view(x), mu = images.vector(), var = images.vector();
            images.kernels.mean.run(parallel, images.shape, images.axes, new Tensor[] {in}, mu);
            images.kernels.variance.run(parallel, images.shape, images.axes, new Tensor[] {in, mu}, var);
            double unbiased = (double) rows / Math.max(1, rows - 1);
            for (long i = 0; i < c; i++) {
                double m = mu.getDouble(i), v = var.getDouble(i);
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
            Tensor mu = images.vector();
            for (long i = 0; i < mean.size(); i++) mu.set(i, mean.getDouble(i));
            apply(images, images.view(x), mu, variance, scale, offset, y);
        }
    }

    private void apply(Images images, Tensor x, Tensor mean, Tensor variance, Tensor scale, Tensor offset, Tensor y) {
        if (x.size() == 0) return;
        Tensor factor = images.vector(), b = images.vector();
        for (long i = 0; i < mean.size(); i++) {
            factor.set(i, scale.getDouble(i) / Math.sqrt(variance.getDouble(i) + epsilon));
            b.set(i, offset.getDouble(i));
        }
        images.kernels.apply.run(
                parallel, images.shape, new Tensor[] {x, mean, factor, b}, new Tensor[] {images.view(y)});
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
            Tensor in = images.view(x), grad = images.view(dy), mu = images.vector();
            Tensor sum = images.vector(), moment = images.vector(), a = images.vector();
            for (long i = 0; i < c; i++) mu.set(i, mean.getDouble(i));
            images.kernels.sums.run(
                    parallel, images.shape, images.axes, new Tensor[] {in, grad, mu}, new Tensor[] {sum, moment});
            for (long i = 0; i < c; i++) {
                double v = variance.getDouble(i) + epsilon, deviation = Math.sqrt(v);
                double s = sum.getDouble(i), m = moment.getDouble(i);
                dOffset.set(i, s);
                dScale.set(i, rows == 0 ? 0 : m / deviation);
                a.set(i, scale.getDouble(i) / deviation);
                sum.set(i, training ? s / rows : 0);
                moment.set(i, training ? m / rows / v : 0);
            }
            if (rows == 0) return;
            images.kernels.dx.run(
                    parallel, images.shape, new Tensor[] {in, grad, mu, a, sum, moment}, new Tensor[] {images.view(dx)
                    });
        }
    }

    /** Images of one shape as kernels see them, with vectors of channels that broadcast against them. */
    private final class Images implements AutoCloseable {
        final Kernels kernels;
        final Shape shape;
        final int[] axes;
        private final DType computed;
        private final Shape vector;
        private final Scratch scratch = new Scratch(pool, parallel);

        Images(Tensor x, long channels) {
            kernels = Kernels.of(x.dtype());
            computed = Scratch.computed(x.dtype());
            long n = channelsFirst ? x.shape().dim(0) : x.size() / channels;
            shape = channelsFirst
                    ? Shape.of(n, channels, x.shape().size(2, x.shape().rank()))
                    : Shape.of(n, channels);
            axes = channelsFirst ? new int[] {0, 2} : new int[] {0};
            vector = channelsFirst ? Shape.of(channels, 1) : Shape.of(channels);
        }

        Tensor view(Tensor t) {
            Tensor v = t.view(shape);
            scratch.release(v);
            return v;
        }

        /** Uncleared. */
        Tensor vector() {
            return scratch.tensor(computed, vector.dims());
        }

        @Override
        public void close() {
            scratch.close();
        }
    }
}
