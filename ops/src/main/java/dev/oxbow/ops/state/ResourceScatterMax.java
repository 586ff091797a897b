package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a variable: {@code v[indices[i]] = max updates[i]}. */
@Signature(
        "ResourceScatterMax(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type in [NUMBER]; Tindices: type in [INT32 INT64]} stateful")
public record ResourceScatterMax() implements ScatterUpdates.Rows {

    @Override
    public Combine combine() {
        return Combine.MAX;
    }
}
