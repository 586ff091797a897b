package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** The smaller of two sparse tensors, element by element. */
@Signature(
        "SparseSparseMinimum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64) -> (output_indices: int64, output_values: T) {T: type in [NUMBER]}")
public record SparseSparseMinimum() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SparseExtremes.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> SparseExtremes.run(c, Combine.MIN);
    }
}
