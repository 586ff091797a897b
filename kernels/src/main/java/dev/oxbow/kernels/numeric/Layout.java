package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Transpose;
import dev.oxbow.tensor.Tensor;

/** Images with channels first turned to channels last and back; kernels of this package compute with channels last. */
final class Layout {
    private Layout() {}

    /** {@code x} itself, or its copy with channels last. */
    static Tensor last(Scratch s, Tensor x, boolean channelsFirst, Parallel parallel) {
        if (!channelsFirst) return x;
        long n = x.shape().dim(0),
                c = x.shape().dim(1),
                inner = x.shape().size(2, x.shape().rank());
        Tensor y = s.tensor(x.dtype(), lastDims(x));
        Transpose.run(x, new long[] {n, c, inner}, new int[] {0, 2, 1}, y, parallel);
        return y;
    }

    /** {@code y} itself, or an uncleared stand-in with channels last. */
    static Tensor standIn(Scratch s, Tensor y, boolean channelsFirst) {
        return channelsFirst ? s.tensor(y.dtype(), lastDims(y)) : y;
    }

    /** Moves a stand-in into {@code y}. */
    static void first(Tensor standIn, Tensor y, Parallel parallel) {
        if (standIn == y) return;
        long n = y.shape().dim(0),
                c = y.shape().dim(1),
                inner = y.shape().size(2, y.shape().rank());
        Transpose.run(standIn, new long[] {n, inner, c}, new int[] {0, 2, 1}, y, parallel);
    }

    private static long[] lastDims(Tensor x) {
        long[] d = x.shape().dims(), e = d.clone();
        System.arraycopy(d, 2, e, 1, d.length - 2);
        e[d.length - 1] = d[1];
        return e;
    }
}
