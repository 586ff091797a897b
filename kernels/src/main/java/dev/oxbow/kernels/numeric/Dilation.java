package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Greyscale dilation of images with channels last: {@code y[o, c] = max over taps of x[i, c] + f[tap, c]}. */
public final class Dilation {
    private Dilation() {}

    private interface Found {
        void at(long output, long input, long tap, double value);
    }

    public static void forward(Tensor x, Tensor filter, Window w, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        if (x.dtype() == DType.F32) {
            long c = w.channels, step = w.stride[2] * c, in = x.address(), f = filter.address(), out = y.address();
            Pooling.each(w, parallel, (p, count, start, taps, numbers, n) -> {
                if (n == 0) return;
                DepthwiseF32.dilation(in + 4 * start, step, taps, numbers, n, f, out + 4 * p * c, count, c);
            });
            return;
        }
        long row = w.out[2] * w.channels;
        parallel.run(
                w.batch * w.out[1],
                Math.max(1, (1 << 12) / Math.max(1, row * w.taps())),
                (from, to) -> find(x, filter, w, from, to, (o, i, tap, value) -> y.set(o, value)));
    }

    /** {@code dx}: each gradient goes to the input of the largest sum. */
    public static void inputGradient(Tensor x, Tensor filter, Tensor dy, Window w, Tensor dx, MemoryPool pool) {
        try (Scratch s = new Scratch(pool, Parallel.SERIAL)) {
            Tensor sum = s.standIn(dx);
            Memory.zero(sum.address(), sum.byteSize());
            find(x, filter, w, 0, w.batch * w.out[1], (o, i, tap, v) -> sum.set(i, sum.getDouble(i) + dy.getDouble(o)));
            s.narrow(sum, dx);
        }
    }

    /** {@code df}: each gradient goes to the filter element of the largest sum. */
    public static void filterGradient(Tensor x, Tensor filter, Tensor dy, Window w, Tensor df, MemoryPool pool) {
        try (Scratch s = new Scratch(pool, Parallel.SERIAL)) {
            Tensor sum = s.standIn(df);
            Memory.zero(sum.address(), sum.byteSize());
            find(
                    x,
                    filter,
                    w,
                    0,
                    w.batch * w.out[1],
                    (o, i, tap, v) -> sum.set(tap, sum.getDouble(tap) + dy.getDouble(o)));
            s.narrow(sum, df);
        }
    }

    /** Finds, for the outputs of rows {@code [from, to)} of all images, the first of the largest sums. */
    private static void find(Tensor x, Tensor filter, Window w, long from, long to, Found found) {
        if (x.size() == 0) return;
        long c = w.channels;
        for (long r = from; r < to; r++) {
            long image = r / w.out[1], top = w.start(1, r % w.out[1]);
            for (long col = 0; col < w.out[2]; col++) {
                long left = w.start(2, col);
                for (long ch = 0; ch < c; ch++) {
                    double best = Double.NEGATIVE_INFINITY;
                    long input = -1, tap = -1;
                    for (long h = w.firstTap(1, top); h < w.lastTap(1, top); h++) {
                        for (long v = w.firstTap(2, left); v < w.lastTap(2, left); v++) {
                            long i = ((image * w.in[1] + top + h * w.dilation[1]) * w.in[2] + left + v * w.dilation[2])
                                            * c
                                    + ch;
                            long t = (h * w.kernel[2] + v) * c + ch;
                            double value = x.getDouble(i) + filter.getDouble(t);
                            if (input < 0 || value > best) {
                                best = value;
                                input = i;
                                tap = t;
                            }
                        }
                    }
                    if (input >= 0) found.at((r * w.out[2] + col) * c + ch, input, tap, best);
                }
            }
        }
    }
}
