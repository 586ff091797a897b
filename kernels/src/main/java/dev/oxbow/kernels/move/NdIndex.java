package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Rows of coordinates turned into element offsets, checked against a shape. */
public final class NdIndex {
    private NdIndex() {}

    /**
     * The offset of the slice that each of {@code rows} rows of {@code depth} coordinates addresses in {@code shape}.
     */
    static long[] offsets(Tensor indices, Shape shape, long rows, int depth, String what) {
        long[] strides = Strided.strides(shape.dims());
        long[] offsets = Counts.array(rows, long[]::new);
        for (int row = 0; row < rows; row++) {
            long at = 0;
            for (int d = 0; d < depth; d++) {
                long i = indices.getLong((long) row * depth + d);
                if (i < 0 || i >= shape.dim(d)) throw outside(indices, shape, row, depth, what);
                at += i * strides[d];
            }
            offsets[row] = at;
        }
        return offsets;
    }

    /** The coordinates of flat position {@code i} in TensorFlow's spelling, {@code [1,0]}; empty for a scalar. */
    public static String position(Shape shape, long i) {
        if (shape.rank() == 0) return "";
        long[] at = new long[shape.rank()];
        for (int d = at.length - 1; d >= 0; d--) {
            at[d] = i % shape.dim(d);
            i /= shape.dim(d);
        }
        return Arrays.toString(at).replace(" ", "");
    }

    private static OxbowException outside(Tensor indices, Shape shape, long row, int depth, String what) {
        long[] values = new long[depth];
        for (int d = 0; d < depth; d++) values[d] = indices.getLong(row * depth + d);
        Shape rows = indices.shape().slice(0, indices.shape().rank() - 1);
        return new OxbowException(
                INVALID_ARGUMENT,
                "indices%s = %s does not index into %s %s"
                        .formatted(position(rows, row), Arrays.toString(values), what, shape));
    }
}
