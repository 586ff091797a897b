package dev.oxbow.ops.math;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Elementwise loops over string tensors, which expressions cannot hold. */
final class StringLoops {
    /** What an output element becomes: it is handed its position and both strings. */
    interface Each {
        void accept(long at, byte[] x, byte[] y);
    }

    private StringLoops() {}

    /** Calls {@code each} for every element of two inputs broadcast to {@code out}. */
    static void broadcast(Tensor x, Tensor y, Shape out, Each each) {
        Object[] a = x.objects(), b = y.objects();
        long[] sx = strides(x.shape(), out), sy = strides(y.shape(), out);
        long n = out.size();
        for (long i = 0; i < n; i++)
            each.accept(i, (byte[]) a[(int) position(out, i, sx)], (byte[]) b[(int) position(out, i, sy)]);
    }

    /** Strides of {@code s} seen as {@code out}: 0 where it is repeated. */
    static long[] strides(Shape s, Shape out) {
        long[] own = s.strides(), seen = new long[out.rank()];
        int shift = out.rank() - s.rank();
        for (int d = 0; d < own.length; d++) seen[d + shift] = s.dim(d) == 1 ? 0 : own[d];
        return seen;
    }

    static long position(Shape out, long i, long[] strides) {
        long at = 0;
        for (int d = strides.length - 1; d >= 0; d--) {
            at += i % out.dim(d) * strides[d];
            i /= out.dim(d);
        }
        return at;
    }
}
