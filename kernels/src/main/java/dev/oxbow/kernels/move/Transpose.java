package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** Permutation of dimensions: dimension i of {@code y} is dimension {@code permutation[i]} of {@code x}. */
public final class Transpose {
    private static final long SMALL = 1 << 10;

    private Transpose() {}

    public static void run(Tensor x, int[] permutation, Tensor y, Parallel parallel) {
        if (permutation.length == 2 && permutation[0] == 1) {
            matrix(x, y, parallel);
            return;
        }
        run(x, x.shape().dims(), permutation, y, parallel);
    }

    /** The same with {@code x} seen as {@code dims}; {@code y} only needs the right number of elements. */
    public static void run(Tensor x, long[] dims, int[] permutation, Tensor y, Parallel parallel) {
        long[] strides = Strided.strides(dims);
        long[] from = new long[dims.length], sizes = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            from[i] = strides[permutation[i]];
            sizes[i] = dims[permutation[i]];
        }
        Strided.copy(x, 0, from, y, 0, Strided.strides(sizes), sizes, parallel);
    }

    /** The transpose of a matrix; a small one without any preparation. */
    public static void matrix(Tensor x, Tensor y, Parallel parallel) {
        long m = x.shape().dim(0), n = x.shape().dim(1);
        int w = x.dtype().size();
        if (m == 0 || n == 0) return; // the other may be 2^40
        if (m * n > SMALL || x.dtype().isObject()) {
            Strided.copy(x, 0, new long[] {1, n}, y, 0, new long[] {m, 1}, new long[] {n, m}, parallel);
        } else {
            Mover.transpose(w, x.address(), n * w, y.address(), m * w, n, m);
        }
    }
}
