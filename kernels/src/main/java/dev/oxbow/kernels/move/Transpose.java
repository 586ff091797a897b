package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

/** Permutation of dimensions: dimension i of {@code y} is dimension {@code permutation[i]} of {@code x}. */
public final class Transpose {
    private Transpose() {}

    public static void run(Tensor x, int[] permutation, Tensor y, Parallel parallel) {
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
}
