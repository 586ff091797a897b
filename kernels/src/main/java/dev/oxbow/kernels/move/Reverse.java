package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** Reversal and rotation along dimensions. */
public final class Reverse {
    private Reverse() {}

    /** {@code y} = {@code x} with the dimensions where {@code reversed} holds turned around. */
    public static void run(Tensor x, boolean[] reversed, Tensor y, Parallel parallel) {
        long[] dims = x.shape().dims(), to = Strided.strides(dims), from = to.clone();
        long at = 0;
        for (int d = 0; d < dims.length; d++) {
            if (!reversed[d]) continue;
            at += (dims[d] - 1) * from[d];
            from[d] = -from[d];
        }
        Strided.copy(x, at, from, y, 0, to, dims, parallel);
    }

    /** Turns around the first {@code lengths[b]} entries along {@code sequence} of each slice b along {@code batch}. */
    public static void sequences(Tensor x, Tensor lengths, int sequence, int batch, Tensor y, Parallel parallel) {
        long[] dims = x.shape().dims(), strides = Strided.strides(dims);
        for (long b = 0; b < dims[batch]; b++) {
            long n = lengths.getLong(b);
            require(n >= 0, INVALID_ARGUMENT, "ReverseSequence: seq_lens(%d) < 0", b);
            require(
                    n <= dims[sequence],
                    INVALID_ARGUMENT,
                    "ReverseSequence: seq_lens(%d) > input.dims(%d)",
                    b,
                    sequence);
            long[] size = dims.clone(), from = strides.clone();
            size[batch] = 1;
            size[sequence] = n;
            from[sequence] = -from[sequence];
            long at = b * strides[batch];
            Strided.copy(x, at + (n - 1) * strides[sequence], from, y, at, strides, size, parallel);
            size[sequence] = dims[sequence] - n;
            at += n * strides[sequence];
            Strided.copy(x, at, strides, y, at, strides, size, parallel);
        }
    }

    /** {@code y[..., (i + shift[d]) mod n, ...] = x[..., i, ...]}; one shift of any sign per dimension. */
    public static void roll(Tensor x, long[] shift, Tensor y, Parallel parallel) {
        long[] dims = x.shape().dims();
        if (x.size() == 0) return;
        long[] by = new long[dims.length];
        for (int d = 0; d < dims.length; d++) by[d] = Math.floorMod(shift[d], dims[d]);
        roll(x, dims, by, 0, 0, 0, dims.clone(), y, parallel);
    }

    private static void roll(
            Tensor x, long[] dims, long[] by, int d, long from, long to, long[] size, Tensor y, Parallel parallel) {
        long[] strides = Strided.strides(dims);
        while (d < dims.length && by[d] == 0) d++;
        if (d == dims.length) {
            Strided.copy(x, from, strides, y, to, strides, size, parallel);
            return;
        }
        long n = dims[d], s = by[d];
        size[d] = n - s;
        roll(x, dims, by, d + 1, from, to + s * strides[d], size, y, parallel);
        size[d] = s;
        roll(x, dims, by, d + 1, from + (n - s) * strides[d], to, size, y, parallel);
        size[d] = n;
    }
}
