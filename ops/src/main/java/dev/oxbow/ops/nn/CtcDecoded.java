package dev.oxbow.ops.nn;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Labels that were decoded for the rows of a batch, as sparse tensors of rank 2. */
final class CtcDecoded {
    private CtcDecoded() {}

    /** Types of so many of them, all indices first, then all values and all shapes, and of the probabilities. */
    static List<TensorType> types(int paths, DType dtype, long batch) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < paths; i++) all.add(new TensorType(DType.I64, Shape.of(-1, 2)));
        for (int i = 0; i < paths; i++) all.add(new TensorType(DType.I64, Shape.of(-1)));
        for (int i = 0; i < paths; i++) all.add(new TensorType(DType.I64, Shape.of(2)));
        all.add(new TensorType(dtype, Shape.of(batch, paths)));
        return all;
    }

    /** Gives path {@code i} of so many; {@code rows} has the labels of each row. */
    static void give(KernelContext c, int i, int paths, List<int[]> rows) {
        long count = 0, longest = 0;
        for (int[] row : rows) {
            count += row.length;
            longest = Math.max(longest, row.length);
        }
        Tensor indices = c.allocate(i, Shape.of(count, 2)), values = c.allocate(paths + i, Shape.of(count));
        long at = 0;
        for (int b = 0; b < rows.size(); b++) {
            int[] row = rows.get(b);
            for (int k = 0; k < row.length; k++, at++) {
                indices.setLong(2 * at, b);
                indices.setLong(2 * at + 1, k);
                values.setLong(at, row[k]);
            }
        }
        Tensor shape = c.output(2 * paths + i);
        shape.setLong(0, rows.size());
        shape.setLong(1, longest);
    }
}
