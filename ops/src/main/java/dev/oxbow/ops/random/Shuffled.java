package dev.oxbow.ops.random;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.move.Gather;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Slices of the first dimension in the order of a permutation. */
final class Shuffled {
    private Shuffled() {}

    static void run(KernelContext c, Tensor x, int[] permutation) {
        Tensor rows = c.temporary(DType.I32, Shape.of(permutation.length));
        for (int i = 0; i < permutation.length; i++) rows.setLong(i, permutation[i]);
        Gather.run(x, rows, 0, 0, c.output(0), c.parallel());
        rows.release();
    }
}
