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

/** The input with updates written at coordinates. */
@Signature(
        "TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in [INT16 INT32 INT64 UINT16]; bad_indices_policy: string = \"\"}")
public record TensorScatterUpdate() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Scatters.infer(c);
    }

    @Override
    public Kernel cpu() {
        return Scatters.kernel(Combine.UPDATE);
    }

    /** {@code dx} = dy with zeros at the coordinates, {@code dupdates[i] = dy[indices[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), indices = g.input(1);
        Value zeros = Value.apply(new ZerosLike(), g.input(2));
        return Arrays.asList(Value.apply(this, dy, indices, zeros), null, Scatters.at(dy, indices));
    }
}
