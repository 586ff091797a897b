package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import java.util.List;

/** The values of a sparse tensor plus a dense one broadcast to its shape, at its entries only. */
@Signature(
        "SparseDenseCwiseAdd(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T) {T: type in [NUMBER]}")
public record SparseDenseCwiseAdd() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CwiseDense.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> CwiseDense.run(c, Combine.ADD);
    }
}
