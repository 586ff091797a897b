package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How often numbers occur in each row of a ragged matrix. */
@Signature("RaggedCountSparseOutput(splits: int64, values: T, weights: output_type) -> (output_indices: int64,"
        + " output_values: output_type, output_dense_shape: int64) {T: type in [INT32 INT64]; minlength: int = -1"
        + " >= -1; maxlength: int = -1 >= -1; binary_output: bool; output_type: type in [INT32 INT64 FLOAT"
        + " DOUBLE]}")
public record RaggedCountSparseOutput(long minlength, long maxlength, boolean binaryOutput)
        implements NotDifferentiable {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        c.vector(1);
        return Counting.types(c.dtype(2));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor splits = c.input(0), values = c.input(1);
            Ragged.checkSplits(splits, values.size());
            Counting counts = new Counting(values, c.input(2), splits.size() - 1, maxlength, binaryOutput);
            for (long r = 0; r < splits.size() - 1; r++)
                for (long i = splits.getLong(r); i < splits.getLong(r + 1); i++) counts.add(r, i);
            counts.give(c, minlength, false);
        };
    }
}
