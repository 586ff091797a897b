package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Mean over the part of each window that is inside, per channel, added up in the order of the window's elements. */
public final class AvgPool {
    private AvgPool() {}

    /** {@code y} = the means. */
    public static void forward(Tensor x, Window w, Tensor y, MemoryPool pool, Parallel parallel) {
        if (y.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), w.channelsFirst(), parallel);
            Tensor wideY = s.standIn(y), out = Layout.standIn(s, wideY, w.channelsFirst());
            long from = in.address(), to = out.address(), c = w.channels, step = w.stride[2] * c;
            boolean wide = out.dtype() == DType.F64;
            Pooling.each(w, parallel, (p, count, start, taps, numbers, n) -> {
                if (wide) doubles(from + 8 * start, step, taps, n, to + 8 * p * c, count, c);
                else PoolF32.mean(from + 4 * start, step, taps, n, to + 4 * p * c, count, c);
            });
            Layout.first(out, wideY, parallel);
            s.narrow(wideY, y);
        }
    }

    /** {@code dx}: each window's gradient in equal parts. */
    public static void gradient(Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (dx.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(dy), w.channelsFirst(), parallel);
            Tensor wideX = s.standIn(dx), out = Layout.standIn(s, wideX, w.channelsFirst());
            long from = in.address(), to = out.address(), c = w.channels, step = w.stride[2] * c;
            boolean wide = out.dtype() == DType.F64;
            Pooling.scatter(w, wide ? 8 : 4, to, parallel, (p, count, start, taps, numbers, n) -> {
                if (wide) doubleGradient(from + 8 * p * c, to + 8 * start, step, taps, n, count, c);
                else PoolF32.meanGradient(from + 4 * p * c, to + 4 * start, step, taps, n, count, c);
            });
            Layout.first(out, wideX, parallel);
            s.narrow(wideX, dx);
        }
    }

    private static void doubles(long x, long step, long[] taps, int n, long y, long count, long c) {
        for (long p = 0; p < count; p++) {
            for (long i = 0; i < c; i++) {
                double sum = 0;
                for (int t = 0; t < n; t++) sum += Memory.getDouble(x + 8 * (p * step + i + taps[t]));
                Memory.putDouble(y + 8 * (p * c + i), sum / n);
            }
        }
    }

    private static void doubleGradient(long dy, long dx, long step, long[] taps, int n, long count, long c) {
        for (long p = 0; p < count; p++) {
            for (long i = 0; i < c; i++) {
                double part = Memory.getDouble(dy + 8 * (p * c + i)) / n;
                for (int t = 0; t < n; t++) {
                    long to = dx + 8 * (p * step + i + taps[t]);
                    Memory.putDouble(to, Memory.getDouble(to) + part);
                }
            }
        }
    }
}
