package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** Repetition: broadcasting, tiling, filling. */
public final class Broadcast {
    private Broadcast() {}

    /** {@code y} = {@code x} broadcast to the shape of {@code y} by NumPy's rules. */
    public static void run(Tensor x, Tensor y, Parallel parallel) {
        long[] dims = y.shape().dims();
        Strided.copy(x, 0, strides(x.shape().dims(), dims), y, 0, Strided.strides(dims), dims, parallel);
    }

    /** {@code y} = the one element of {@code x} everywhere. */
    public static void fill(Tensor x, Tensor y, Parallel parallel) {
        require(x.size() == 1, INVALID_ARGUMENT, "what is repeated must be one element, got %s", x.describe());
        Strided.copy(x, 0, new long[1], y, 0, new long[] {1}, new long[] {y.size()}, parallel);
    }

    /** {@code y} = {@code x} repeated {@code multiples[d]} times along each dimension. */
    public static void tile(Tensor x, long[] multiples, Tensor y, Parallel parallel) {
        int r = multiples.length;
        long[] dims = x.shape().dims(),
                in = Strided.strides(dims),
                out = Strided.strides(y.shape().dims());
        long[] from = new long[2 * r], to = new long[2 * r], size = new long[2 * r];
        for (int d = 0; d < r; d++) {
            size[2 * d] = multiples[d];
            to[2 * d] = out[d] * dims[d];
            size[2 * d + 1] = dims[d];
            to[2 * d + 1] = out[d];
            from[2 * d + 1] = in[d];
        }
        Strided.copy(x, 0, from, y, 0, to, size, parallel);
    }

    /** Strides of an array of {@code dims} seen as {@code target}: 0 where it is repeated. */
    static long[] strides(long[] dims, long[] target) {
        long[] own = Strided.strides(dims), s = new long[target.length];
        int shift = target.length - dims.length;
        for (int d = 0; d < dims.length; d++) s[d + shift] = dims[d] == 1 ? 0 : own[d];
        return s;
    }
}
