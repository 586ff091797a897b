package dev.oxbow.ops.state;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Combines slices into a referenced variable: {@code v[indices[i]] = updates[i]}. */
@Signature(
        "ScatterUpdate(ref: ref T, indices: Tindices, updates: T) -> (output_ref: ref T) {T: type; Tindices: type in [INT32 INT64]; use_locking: bool = true}")
public record ScatterUpdate() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        ScatterUpdates.checkRows(c.shape(0), c.shape(1), c.shape(2));
        return List.of(TensorType.ref(c.dtype(2), c.shape(0)));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return ScatterUpdates.kernel(Combine.UPDATE, false, true);
    }
}
