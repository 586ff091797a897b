package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a variable: {@code v[indices[i, 0], indices[i, 1], ...] += updates[i]}. */
@Signature(
        "ResourceScatterNdAdd(ref: resource, indices: Tindices, updates: T) -> () {T: type; Tindices: type in [INT32 INT64]; use_locking: bool = true; bad_indices_policy: string = \"\"} stateful")
public record ResourceScatterNdAdd() implements ScatterUpdates.Nd {

    @Override
    public Combine combine() {
        return Combine.ADD;
    }
}
