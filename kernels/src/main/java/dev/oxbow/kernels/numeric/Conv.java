package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.NativeLibrary.Direction;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.kernels.move.Transpose;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Convolution over one to three spatial dimensions with its two gradients: by a native library where there is one, else
 * as products of patch matrices.
 */
public final class Conv {

    /*
     * A filter [taps..., inChannels / groups, outChannels] is a matrix of one row per (tap, channel), so a chunk of
     * window positions is one product of their patches with it. Chunks bound the scratch memory; they and the images
     * are the tasks. The gradient to the input is the product with the transposed filter, added back patch by patch,
     * an image per task; the gradient to the filter adds up chunk after chunk, and only its products are cut.
     */

    /** Images are computed in groups of this many, whatever the batch, so that a part of a batch has the bits of the whole. */
    public static final long IMAGES = 8;

    private static final long CHUNK = 1 << 17;

    private final Window w;
    private final DType dtype;
    private final int width;
    private final long groups;
    private final long outChannels;
    private final Patches patches;
    private final long depth;
    private final MemoryPool pool;
    private final Parallel parallel;

    private Conv(Window w, DType dtype, long groupChannels, long outChannels, MemoryPool pool, Parallel parallel) {
        this.w = w;
        this.dtype = dtype;
        this.width = dtype.size();
        this.groups = groupChannels == 0 ? 1 : w.channels / groupChannels;
        this.outChannels = outChannels;
        this.patches = new Patches(w, width, groupChannels);
        this.depth = patches.length();
        this.pool = pool;
        this.parallel = parallel;
    }

    /**
     * {@code y} = the convolution of {@code x} with {@code filter} (spatial dimensions, channels of a group,
     * outputs).
     */
    public static void forward(Tensor x, Tensor filter, Window w, Tensor y, MemoryPool pool, Parallel parallel) {
        if (givesZero(x, filter, y)) return;
        DType t = Scratch.computed(x.dtype());
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor wideX = s.converted(x, t), f = s.converted(filter, t);
            Tensor wide = t == y.dtype() ? y : s.tensor(t, y.shape().dims());
            ConvNative library = library(t, w, Direction.OUTPUT, filter.shape(), pool, parallel);
            if (library != null) {
                library.run(wideX.address(), f.address(), wide.address());
            } else {
                Tensor in = Layout.last(s, wideX, w.channelsFirst(), parallel),
                        out = Layout.standIn(s, wide, w.channelsFirst());
                new Conv(w, t, filter.shape().dim(-2), filter.shape().dim(-1), pool, parallel)
                        .forward(in.address(), f.address(), out.address());
                Layout.first(out, wide, parallel);
            }
            s.narrow(wide, y);
        }
    }

    /** {@code dx} = the gradient to the input of a convolution whose output has the gradient {@code dy}. */
    public static void inputGradient(
            Tensor filter, Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (givesZero(filter, dy, dx)) return;
        DType t = Scratch.computed(dx.dtype());
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor wideY = s.converted(dy, t), f = s.converted(filter, t);
            Tensor wide = t == dx.dtype() ? dx : s.tensor(t, dx.shape().dims());
            ConvNative library = library(t, w, Direction.INPUT_GRADIENT, filter.shape(), pool, parallel);
            if (library != null) {
                library.run(wide.address(), f.address(), wideY.address());
            } else {
                Tensor out = Layout.last(s, wideY, w.channelsFirst(), parallel),
                        in = Layout.standIn(s, wide, w.channelsFirst());
                Memory.zero(in.address(), in.byteSize());
                new Conv(w, t, filter.shape().dim(-2), filter.shape().dim(-1), pool, parallel)
                        .inputGradient(s, f, out.address(), in.address());
                Layout.first(in, wide, parallel);
            }
            s.narrow(wide, dx);
        }
    }

    /** {@code df} = the gradient to the filter. */
    public static void filterGradient(Tensor x, Tensor dy, Window w, Tensor df, MemoryPool pool, Parallel parallel) {
        if (givesZero(x, dy, df)) return;
        DType t = Scratch.computed(df.dtype());
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor wideX = s.converted(x, t), wideY = s.converted(dy, t);
            Tensor wide = t == df.dtype() ? df : s.tensor(t, df.shape().dims());
            ConvNative library = library(t, w, Direction.FILTER_GRADIENT, df.shape(), pool, parallel);
            if (library != null) {
                library.filterGradient(wideX.address(), wideY.address(), wide.address());
            } else {
                Tensor in = Layout.last(s, wideX, w.channelsFirst(), parallel),
                        out = Layout.last(s, wideY, w.channelsFirst(), parallel);
                Memory.zero(wide.address(), wide.byteSize());
                new Conv(w, t, df.shape().dim(-2), df.shape().dim(-1), pool, parallel)
                        .filterGradient(in.address(), out.address(), wide.address());
            }
            s.narrow(wide, df);
        }
    }

    /** Whether there is nothing to multiply, so that all of {@code y} is zeros, as it is then. */
    static boolean givesZero(Tensor a, Tensor b, Tensor y) {
        if (a.size() > 0 && b.size() > 0) return y.size() == 0;
        Memory.zero(y.address(), y.byteSize());
        return true;
    }

    private static ConvNative library(
            DType t, Window w, Direction direction, Shape filter, MemoryPool pool, Parallel parallel) {
        if (t != DType.F32) return null;
        return ConvNative.of(w, direction, filter.dim(-2), filter.dim(-1), pool, parallel);
    }

    private void forward(long x, long filter, long y) {
        long positions = w.positions(), oc = outChannels / groups;
        if (w.isPointwise() && groups == 1) {
            pointwise(outChannels, depth, x, filter, y);
            return;
        }
        long chunk = chunk(CHUNK), chunks = (positions + chunk - 1) / chunk;
        Product product = Product.of(dtype, chunk, oc, depth).strided(depth, outChannels, outChannels);
        parallel.run(w.batch * chunks, 1, (first, last) -> {
            Buffer rows = pool.allocate(chunk * depth * width, "Conv");
            try {
                for (long task = first; task < last; task++) {
                    long image = task / chunks, from = task % chunks * chunk, to = Math.min(positions, from + chunk);
                    for (long g = 0; g < groups; g++) {
                        patches.gather(
                                x + image * w.inPositions() * w.channels * width,
                                g * (w.channels / groups),
                                from,
                                to,
                                rows.address());
                        long yAt = y + ((image * positions + from) * outChannels + g * oc) * width;
                        Product some = product.part(to - from, oc, depth, false);
                        Gemm.run(some, rows.address(), filter + g * oc * width, yAt, pool, Parallel.SERIAL);
                    }
                }
            } finally {
                rows.release();
            }
        });
    }

    /** A product for each group of images, {@code n} channels out of {@code k}. */
    private void pointwise(long n, long k, long from, long matrix, long to) {
        long positions = w.positions();
        for (long image = 0; image < w.batch; image += IMAGES) {
            long row = image * positions, rows = Math.min(IMAGES, w.batch - image) * positions;
            Product product = Product.of(dtype, rows, n, k);
            Gemm.run(product, from + row * k * width, matrix, to + row * n * width, pool, parallel);
        }
    }

    private void inputGradient(Scratch s, Tensor filter, long dy, long dx) {
        long positions = w.positions(), oc = outChannels / groups;
        Tensor transposed = s.tensor(dtype, outChannels, depth);
        Transpose.run(filter, new long[] {depth, outChannels}, new int[] {1, 0}, transposed, parallel);
        if (w.isPointwise() && groups == 1) {
            pointwise(depth, outChannels, dy, transposed.address(), dx);
            return;
        }
        long chunk = chunk(CHUNK);
        Product product = Product.of(dtype, chunk, depth, oc).strided(outChannels, depth, depth);
        parallel.run(w.batch, 1, (first, last) -> {
            Buffer rows = pool.allocate(chunk * depth * width, "Conv");
            try {
                for (long image = first; image < last; image++) {
                    for (long from = 0; from < positions; from += chunk) {
                        long to = Math.min(positions, from + chunk);
                        for (long g = 0; g < groups; g++) {
                            long dyAt = dy + ((image * positions + from) * outChannels + g * oc) * width;
                            long filterAt = transposed.address() + g * oc * depth * width;
                            Product some = product.part(to - from, depth, oc, false);
                            Gemm.run(some, dyAt, filterAt, rows.address(), pool, Parallel.SERIAL);
                            patches.scatter(
                                    dx + image * w.inPositions() * w.channels * width,
                                    g * (w.channels / groups),
                                    from,
                                    to,
                                    rows.address());
                        }
                    }
                }
            } finally {
                rows.release();
            }
        });
    }

    private void filterGradient(long x, long dy, long df) {
        long positions = w.positions(), oc = outChannels / groups, chunk = chunk(4 * CHUNK);
        Product product = Product.of(dtype, depth, oc, chunk, true, false).strided(depth, outChannels, outChannels);
        Buffer rows = pool.allocate(chunk * depth * width, "Conv");
        try {
            for (long image = 0; image < w.batch; image++) {
                long imageAt = x + image * w.inPositions() * w.channels * width;
                for (long from = 0; from < positions; from += chunk) {
                    long start = from, count = Math.min(chunk, positions - from);
                    for (long g = 0; g < groups; g++) {
                        long channel = g * (w.channels / groups);
                        parallel.run(
                                count,
                                Math.max(1, (1 << 14) / depth),
                                (a, b) -> patches.gather(
                                        imageAt, channel, start + a, start + b, rows.address() + a * depth * width));
                        long dyAt = dy + ((image * positions + from) * outChannels + g * oc) * width;
                        Product some = product.part(depth, oc, count, true);
                        Gemm.run(some, rows.address(), dyAt, df + g * oc * width, pool, parallel);
                    }
                }
            }
        } finally {
            rows.release();
        }
    }

    /** Positions whose patches have about {@code elements} elements, in whole blocks of {@link Gemm}. */
    private long chunk(long elements) {
        return Math.min(w.positions(), Math.max(1, elements / depth / 96) * 96);
    }
}
