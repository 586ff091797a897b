package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** The greatest entry of a sparse tensor over axes, as a sparse one. */
@Signature(
        "SparseReduceMaxSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output_indices: int64, output_values: T, output_shape: int64) {keep_dims: bool = false; T: type in [REAL]}")
public record SparseReduceMaxSparse(boolean keepDims) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SparseReductions.inferSparse(c);
    }

    @Override
    public Kernel cpu() {
        return c -> SparseReductions.sparse(c, keepDims, Combine.MAX);
    }
}
