package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How often numbers occur in a sparse vector, or in each row of a sparse matrix. */
@Signature("SparseCountSparseOutput(indices: int64, values: T, dense_shape: int64, weights: output_type) ->"
        + " (output_indices: int64, output_values: output_type, output_dense_shape: int64) {T: type in [INT32"
        + " INT64]; minlength: int = -1 >= -1; maxlength: int = -1 >= -1; binary_output: bool; output_type: type"
        + " in [INT32 INT64 FLOAT DOUBLE]}")
public record SparseCountSparseOutput(long minlength, long maxlength, boolean binaryOutput)
        implements NotDifferentiable {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        c.vector(1);
        c.vector(2);
        c.sameDim(0, 0, 1, 0);
        c.sameDim(0, 1, 2, 0);
        return Counting.types(c.dtype(3));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor indices = c.input(0), values = c.input(1), shape = c.input(2);
            long rank = shape.size();
            require(
                    rank == 1 || rank == 2,
                    INVALID_ARGUMENT,
                    "Input must be a 1 or 2-dimensional tensor. Got: %d dimensions",
                    rank);
            long rows = rank == 1 ? 1 : shape.getLong(0);
            require(
                    rows >= 0 && rows <= Integer.MAX_VALUE,
                    INVALID_ARGUMENT,
                    "dense_shape must have up to 2^31 rows, got %d",
                    rows);
            Counting counts = new Counting(values, c.input(3), rows, maxlength, binaryOutput);
            for (long i = 0; i < values.size(); i++) {
                long row = rank == 1 ? 0 : indices.getLong(2 * i);
                require(
                        row >= 0 && row < rows,
                        INVALID_ARGUMENT,
                        "Indices value along the first dimension must be lower than the first index of the shape. Got"
                                + " %d as batch and %d as the first dimension of the shape.",
                        row,
                        rows);
                counts.add(row, i);
            }
            counts.give(c, minlength, rank == 1);
        };
    }
}
