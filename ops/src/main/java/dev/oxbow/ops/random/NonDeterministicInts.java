package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Uniform whole numbers over all values of their type, other ones with every run. */
@Signature(
        "NonDeterministicInts(shape: shape_dtype) -> (output: dtype) {dtype: type in [INT32 INT64 UINT32 UINT64] = INT64; shape_dtype: type = INT64} stateful")
public record NonDeterministicInts(DType dtype) implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> Distributions.fullInt(PhiloxState.of(0, 0).snapshot(), c.output(0), c.parallel());
    }
}
