package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a variable: {@code v[indices[i]] = updates[i]}. */
@Signature(
        "ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type; Tindices: type in [INT32 INT64]} stateful")
public record ResourceScatterUpdate() implements ScatterUpdates.Rows {

    @Override
    public Combine combine() {
        return Combine.UPDATE;
    }
}
