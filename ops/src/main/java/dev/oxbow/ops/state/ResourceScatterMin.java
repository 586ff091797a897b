package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a variable: {@code v[indices[i]] = min updates[i]}. */
@Signature(
        "ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type in [NUMBER]; Tindices: type in [INT32 INT64]} stateful")
public record ResourceScatterMin() implements ScatterUpdates.Rows {

    @Override
    public Combine combine() {
        return Combine.MIN;
    }
}
