package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.ArgReduction;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The index of the greatest element along an axis, the first of equal ones. */
@Signature(
        "ArgMax(input: T, dimension: Tidx) -> (output: output_type) {T: type in [REAL QUANTISED BOOL]; Tidx: type in [INT16 INT32 INT64] = INT32; output_type: type in [INT16 UINT16 INT32 INT64] = INT64}")
public record ArgMax(DType outputType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return ArgReductions.infer(c, outputType);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return ArgReductions.cut(c, outputs, axis);
    }

    @Override
    public Kernel cpu() {
        return c -> ArgReductions.run(c, ArgReduction.max(c.input(0).dtype()));
    }
}
