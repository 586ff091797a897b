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

/** How often numbers occur in a vector, or in each row of a matrix. */
@Signature("DenseCountSparseOutput(values: T, weights: output_type) -> (output_indices: int64, output_values:"
        + " output_type, output_dense_shape: int64) {T: type in [INT32 INT64]; minlength: int = -1 >= -1;"
        + " maxlength: int = -1 >= -1; binary_output: bool; output_type: type in [INT32 INT64 FLOAT DOUBLE]}")
public record DenseCountSparseOutput(long minlength, long maxlength, boolean binaryOutput)
        implements NotDifferentiable {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                !c.shape(0).isRankKnown()
                        || c.shape(0).rank() == 1
                        || c.shape(0).rank() == 2,
                INVALID_ARGUMENT,
                "Input must be a 1 or 2-dimensional tensor. Got: %s",
                c.shape(0));
        return Counting.types(c.dtype(1));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor values = c.input(0);
            boolean isVector = values.shape().rank() == 1;
            long rows = isVector ? 1 : values.shape().dim(0),
                    width = isVector ? values.size() : values.shape().dim(1);
            Counting counts = new Counting(values, c.input(1), rows, maxlength, binaryOutput);
            for (long i = 0; i < values.size(); i++) counts.add(i / width, i);
            counts.give(c, minlength, isVector);
        };
    }
}
