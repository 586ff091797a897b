package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.RowsF32;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/**
 * Depthwise convolution: every channel has its own {@code multiplier} filters; filter shape [taps..., channels,
 * multiplier].
 */
public final class DepthwiseConv {
    private final Window w;
    private final int width;
    private final long multiplier;
    private final Parallel parallel;

    private DepthwiseConv(Window w, int width, long multiplier, Parallel parallel) {
        this.w = w;
        this.width = width;
        this.multiplier = multiplier;
        this.parallel = parallel;
    }

    /** {@code y[o, c * multiplier + q] = sum over taps of x[i, c] * filter[tap, c, q]}. */
    public static void forward(Tensor x, Tensor filter, Window w, Tensor y, MemoryPool pool, Parallel parallel) {
        if (Conv.givesZero(x, filter, y)) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), w.channelsFirst(), parallel), f = s.widened(filter);
            Tensor wide = s.standIn(y), out = Layout.standIn(s, wide, w.channelsFirst());
            of(w, in.dtype(), filter, parallel).forward(in.address(), f.address(), out.address());
            Layout.first(out, wide, parallel);
            s.narrow(wide, y);
        }
    }

    /** {@code dx[i, c] = sum over taps and q of filter[tap, c, q] * dy[o, c * multiplier + q]}. */
    public static void inputGradient(
            Tensor filter, Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (Conv.givesZero(filter, dy, dx)) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor out = Layout.last(s, s.widened(dy), w.channelsFirst(), parallel), f = s.widened(filter);
            Tensor wide = s.standIn(dx), in = Layout.standIn(s, wide, w.channelsFirst());
            Memory.zero(in.address(), in.byteSize());
            of(w, in.dtype(), filter, parallel).inputGradient(f.address(), out.address(), in.address());
            Layout.first(in, wide, parallel);
            s.narrow(wide, dx);
        }
    }

    /** {@code df[tap, c, q] = sum over images and positions of x[i, c] * dy[o, c * multiplier + q]}. */
    public static void filterGradient(Tensor x, Tensor dy, Window w, Tensor df, MemoryPool pool, Parallel parallel) {
        if (Conv.givesZero(x, dy, df)) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), w.channelsFirst(), parallel);
            Tensor out = Layout.last(s, s.widened(dy), w.channelsFirst(), parallel), wide = s.standIn(df);
            Memory.zero(wide.address(), wide.byteSize());
            DepthwiseConv conv = of(w, in.dtype(), df, parallel);
            if (conv.width == 4 && conv.multiplier == 1) conv.filterGradient(in.address(), out.address(), wide, s);
            else conv.filterGradient(in.address(), out.address(), wide.address());
            s.narrow(wide, df);
        }
    }

    private static DepthwiseConv of(Window w, DType dtype, Tensor filter, Parallel parallel) {
        return new DepthwiseConv(w, dtype.size(), filter.shape().dim(-1), parallel);
    }

    private interface Tap {
        void at(long input, long tap);
    }

    /** Calls {@code task} with every input position and tap inside the window at output position {@code o}. */
    private void taps(long o, Tap task) {
        long x0 = w.start(2, o % w.out[2]),
                y0 = w.start(1, o / w.out[2] % w.out[1]),
                z0 = w.start(0, o / w.out[2] / w.out[1]);
        for (long kz = w.firstTap(0, z0); kz < w.lastTap(0, z0); kz++) {
            for (long ky = w.firstTap(1, y0); ky < w.lastTap(1, y0); ky++) {
                for (long kx = w.firstTap(2, x0); kx < w.lastTap(2, x0); kx++) {
                    long iz = z0 + kz * w.dilation[0], iy = y0 + ky * w.dilation[1], ix = x0 + kx * w.dilation[2];
                    task.at((iz * w.in[1] + iy) * w.in[2] + ix, (kz * w.kernel[1] + ky) * w.kernel[2] + kx);
                }
            }
        }
    }

    private void forward(long x, long filter, long y) {
        if (width == 4 && multiplier == 1) {
            long channels = w.channels, step = w.stride[2] * channels;
            Pooling.each(
                    w,
                    parallel,
                    (p, count, start, taps, numbers, n) -> DepthwiseF32.forward(
                            x + 4 * start, step, taps, numbers, n, filter, y + 4 * p * channels, count, channels));
            return;
        }
        long c = w.channels, n = c * multiplier, positions = w.positions();
        parallel.run(w.batch * positions, Math.max(1, (1 << 13) / (n * w.taps())), (from, to) -> {
            for (long p = from; p < to; p++) {
                long image = p / positions, out = y + p * n * width;
                Memory.zero(out, n * width);
                taps(
                        p % positions,
                        (input, tap) -> multiplyAdd(
                                x + (image * w.inPositions() + input) * c * width, filter + tap * n * width, out));
            }
        });
    }

    /** {@code y[c, q] += x[c] * f[c, q]}. */
    private void multiplyAdd(long x, long f, long y) {
        long c = w.channels;
        if (multiplier == 1) {
            for (long i = 0; i < c; i++)
                Memory.putDouble(
                        y + 8 * i,
                        Math.fma(
                                Memory.getDouble(x + 8 * i), Memory.getDouble(f + 8 * i), Memory.getDouble(y + 8 * i)));
            return;
        }
        for (long i = 0; i < c * multiplier; i++) {
            Gemm.put(width, y, i, Gemm.get(width, y, i) + Gemm.get(width, x, i / multiplier) * Gemm.get(width, f, i));
        }
    }

    private void inputGradient(long filter, long dy, long dx) {
        if (width == 4 && multiplier == 1) {
            long channels = w.channels, step = w.stride[2] * channels;
            Pooling.scatter(
                    w,
                    4,
                    dx,
                    parallel,
                    (p, count, start, taps, numbers, n) -> DepthwiseF32.inputGradient(
                            dx + 4 * start, step, taps, numbers, n, filter, dy + 4 * p * channels, count, channels));
            return;
        }
        long c = w.channels, n = c * multiplier, positions = w.positions();
        parallel.run(w.batch, 1, (from, to) -> {
            for (long p = from * positions; p < to * positions; p++) {
                long image = p / positions, out = dy + p * n * width;
                taps(p % positions, (input, tap) -> {
                    long in = dx + (image * w.inPositions() + input) * c * width, f = filter + tap * n * width;
                    for (long i = 0; i < c; i++) {
                        double sum = Gemm.get(width, in, i);
                        for (long q = i * multiplier; q < (i + 1) * multiplier; q++)
                            sum += Gemm.get(width, f, q) * Gemm.get(width, out, q);
                        Gemm.put(width, in, i, sum);
                    }
                });
            }
        });
    }

    /** Images in fixed parts with a sum each, which are added in order. */
    private void filterGradient(long x, long dy, Tensor df, Scratch s) {
        long c = w.channels, step = w.stride[2] * c, lines = w.out[0] * w.out[1], bytes = df.byteSize();
        long perPart = Math.ceilDiv(w.batch, 16L), parts = w.batch == 0 ? 0 : Math.ceilDiv(w.batch, perPart);
        long sums = s.tensor(DType.F32, parts, df.size()).address();
        parallel.run(parts, 1, (from, to) -> {
            Memory.zero(sums + from * bytes, (to - from) * bytes);
            for (long part = from; part < to; part++) {
                long sum = sums + part * bytes, last = Math.min(w.batch, (part + 1) * perPart);
                Pooling.windows(
                        w,
                        part * perPart * lines,
                        last * lines,
                        (p, count, start, taps, numbers, n) -> DepthwiseF32.filterGradient(
                                x + 4 * start, step, taps, numbers, n, sum, dy + 4 * p * c, count, c));
            }
        });
        for (long part = 0; part < parts; part++) RowsF32.add(df.address(), sums + part * bytes, df.size());
    }

    /** A tap per task: each adds up its own part of the filter over all images, in order. */
    private void filterGradient(long x, long dy, long df) {
        long c = w.channels, n = c * multiplier, positions = w.positions();
        parallel.run(w.taps(), 1, (from, to) -> {
            for (long t = from; t < to; t++) {
                long wanted = t;
                double[] sum = Counts.array(n, double[]::new);
                for (long p = 0; p < w.batch * positions; p++) {
                    long image = p / positions, out = dy + p * n * width;
                    tap(p % positions, wanted, (input, tap) -> {
                        long in = x + (image * w.inPositions() + input) * c * width;
                        for (int i = 0; i < n; i++)
                            sum[i] += Gemm.get(width, in, i / multiplier) * Gemm.get(width, out, i);
                    });
                }
                for (int i = 0; i < n; i++) Gemm.put(width, df, t * n + i, sum[i]);
            }
        });
    }

    /** Calls {@code task} for one tap, if it is inside at output position {@code o}. */
    private void tap(long o, long tap, Tap task) {
        long kx = tap % w.kernel[2], ky = tap / w.kernel[2] % w.kernel[1], kz = tap / w.kernel[2] / w.kernel[1];
        long ix = w.start(2, o % w.out[2]) + kx * w.dilation[2];
        long iy = w.start(1, o / w.out[2] % w.out[1]) + ky * w.dilation[1];
        long iz = w.start(0, o / w.out[2] / w.out[1]) + kz * w.dilation[0];
        if (ix < 0 || ix >= w.in[2] || iy < 0 || iy >= w.in[1] || iz < 0 || iz >= w.in[0]) return;
        task.at((iz * w.in[1] + iy) * w.in[2] + ix, tap);
    }
}
