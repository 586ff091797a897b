package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The input with the smaller of it and updates at coordinates. */
@Signature(
        "TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in [INT32 INT64]; bad_indices_policy: string = \"\"}")
public record TensorScatterMin() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Scatters.infer(c);
    }

    @Override
    public Kernel cpu() {
        return Scatters.kernel(Combine.MIN);
    }

    /** Shared evenly by all that gave the value. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Scatters.share(g);
    }
}
