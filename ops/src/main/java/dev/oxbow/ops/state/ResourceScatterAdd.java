package dev.oxbow.ops.state;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Combines slices into a variable: {@code v[indices[i]] += updates[i]}. */
@Signature(
        "ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type in [NUMBER]; Tindices: type in [INT32 INT64]} stateful")
public record ResourceScatterAdd() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        ScatterUpdates.checkRows(Variables.type(c, 0, c.dtype(2)).shape(), c.shape(1), c.shape(2));
        return List.of();
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return ScatterUpdates.kernel(Combine.ADD, false, false);
    }
}
