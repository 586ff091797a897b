package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Mean over the part of each window that is inside, per channel. */
public final class AvgPool {
    private AvgPool() {}

    /** {@code y} = the means. */
    public static void forward(Tensor x, Window w, Tensor y, MemoryPool pool, Parallel parallel) {
        if (y.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor in = Layout.last(s, s.widened(x), w.channelsFirst(), parallel);
            Tensor wide = s.standIn(y), out = Layout.standIn(s, wide, w.channelsFirst());
            int width = in.dtype().size(), c = Math.toIntExact(w.channels);
            long from0 = in.address(), to0 = out.address();
            parallel.run(w.batch * w.positions(), Math.max(1, (1 << 13) / (c * w.taps())), (from, to) -> {
                double[] sum = new double[c];
                for (long p = from; p < to; p++) {
                    java.util.Arrays.fill(sum, 0);
                    Pooling.taps(w, p, input -> {
                        for (int i = 0; i < c; i++) sum[i] += Gemm.get(width, from0, input * c + i);
                    });
                    double n = Pooling.count(w, p);
                    for (int i = 0; i < c; i++) Gemm.put(width, to0, p * c + i, sum[i] / n);
                }
            });
            Layout.first(out, wide, parallel);
            s.narrow(wide, y);
        }
    }

    /** {@code dx}: each window's gradient in equal parts. */
    public static void gradient(Tensor dy, Window w, Tensor dx, MemoryPool pool, Parallel parallel) {
        if (dx.size() == 0) return;
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor grad = Layout.last(s, s.widened(dy), w.channelsFirst(), parallel);
            Tensor wide = s.standIn(dx), out = Layout.standIn(s, wide, w.channelsFirst());
            Memory.zero(out.address(), out.byteSize());
            int width = out.dtype().size();
            long c = w.channels, from0 = grad.address(), to0 = out.address();
            parallel.run(w.batch, 1, (from, to) -> {
                for (long p = from * w.positions(); p < to * w.positions(); p++) {
                    long position = p;
                    double n = Pooling.count(w, p);
                    Pooling.taps(w, p, input -> {
                        for (long i = 0; i < c; i++) {
                            double part = Gemm.get(width, from0, position * c + i) / n;
                            Gemm.put(width, to0, input * c + i, Gemm.get(width, to0, input * c + i) + part);
                        }
                    });
                }
            });
            Layout.first(out, wide, parallel);
            s.narrow(wide, dx);
        }
    }
}
