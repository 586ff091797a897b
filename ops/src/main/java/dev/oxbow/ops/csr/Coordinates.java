package dev.oxbow.ops.csr;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Where elements lie in dense tensors. */
final class Coordinates {
    private Coordinates() {}

    /** The positions of these coordinates in a dense tensor of a shape. */
    static long[] positions(Tensor indices, Shape shape) {
        int rank = shape.rank();
        long[] at = new long[Counts.objects(indices.shape().dim(0), 8)];
        for (int i = 0; i < at.length; i++)
            for (int d = 0; d < rank; d++) at[i] = at[i] * shape.dim(d) + indices.getLong((long) i * rank + d);
        return at;
    }

    /** 0, 1, 2, ... */
    static long[] first(long count) {
        long[] at = new long[Counts.objects(count, 8)];
        for (int i = 0; i < at.length; i++) at[i] = i;
        return at;
    }
}
