package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/**
 * Regular slices {@code begin[d] + i * step[d]}, read and written; begin, step and size have one entry per dimension.
 */
public final class Slice {
    private Slice() {}

    /** {@code y} = the slice of {@code x}; {@code y} may have any shape of as many elements. */
    public static void read(Tensor x, long[] begin, long[] step, long[] size, Tensor y, Parallel parallel) {
        long[] strides = Strided.strides(x.shape().dims());
        Strided.copy(x, offset(strides, begin), times(strides, step), y, 0, Strided.strides(size), size, parallel);
    }

    /** {@code y} = the box of {@code x} at {@code begin}. */
    public static void read(Tensor x, long[] begin, long[] size, Tensor y, Parallel parallel) {
        long[] strides = Strided.strides(x.shape().dims());
        Strided.copy(x, offset(strides, begin), strides, y, 0, Strided.strides(size), size, parallel);
    }

    /** Writes {@code x} into the slice of {@code y}; {@code x} may have any shape of as many elements. */
    public static void write(Tensor x, Tensor y, long[] begin, long[] step, long[] size, Parallel parallel) {
        long[] strides = Strided.strides(y.shape().dims());
        Strided.copy(x, 0, Strided.strides(size), y, offset(strides, begin), times(strides, step), size, parallel);
    }

    /** Writes {@code x}, repeated where {@code xDims} is 1 and {@code size} is not, into the slice of {@code y}. */
    public static void broadcastInto(
            Tensor x, long[] xDims, Tensor y, long[] begin, long[] step, long[] size, Parallel parallel) {
        long[] strides = Strided.strides(y.shape().dims());
        Strided.copy(
                x, 0, Broadcast.strides(xDims, size), y, offset(strides, begin), times(strides, step), size, parallel);
    }

    private static long offset(long[] strides, long[] begin) {
        long at = 0;
        for (int d = 0; d < begin.length; d++) at += begin[d] * strides[d];
        return at;
    }

    private static long[] times(long[] strides, long[] step) {
        long[] s = new long[step.length];
        for (int d = 0; d < s.length; d++) s[d] = strides[d] * step[d];
        return s;
    }
}
