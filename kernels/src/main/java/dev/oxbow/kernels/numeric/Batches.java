package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Batches of matrices that broadcast against each other. */
final class Batches {
    private Batches() {}

    /** How many matrices {@code a} holds, or 0 where none of the results, null or not, has an element. */
    static long count(Tensor a, Tensor... results) {
        for (Tensor y : results)
            if (y != null && y.size() > 0) return a.shape().size(0, a.shape().rank() - 2);
        return 0;
    }

    /** Which matrix of {@code operand} meets matrix i of {@code result}; both have two matrix dimensions at the end. */
    static long offset(Shape operand, Shape result, long i) {
        int shift = result.rank() - operand.rank();
        long at = 0, stride = 1;
        for (int d = result.rank() - 3; d >= 0; d--) {
            long index = i % result.dim(d);
            i /= result.dim(d);
            if (d < shift) continue;
            long size = operand.dim(d - shift);
            if (size != 1) at += index * stride;
            stride *= size;
        }
        return at;
    }
}
