package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** The input with updates subtracted at coordinates. */
@Signature(
        "TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in [INT32 INT64]; bad_indices_policy: string = \"\"}")
public record TensorScatterSub() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Scatters.infer(c);
    }

    @Override
    public Kernel cpu() {
        return Scatters.kernel(Combine.SUB);
    }

    /** {@code dx = dy}, {@code dupdates[i] = -dy[indices[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                g.gradient(0), null, Scatters.at(g.gradient(0), g.input(1)).negated());
    }
}
