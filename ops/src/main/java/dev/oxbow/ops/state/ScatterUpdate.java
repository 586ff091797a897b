package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a referenced variable: {@code v[indices[i]] = updates[i]}. */
@Signature(
        "ScatterUpdate(ref: ref T, indices: Tindices, updates: T) -> (output_ref: ref T) {T: type; Tindices: type in [INT32 INT64]; use_locking: bool = true}")
public record ScatterUpdate() implements ScatterUpdates.RefRows {

    @Override
    public Combine combine() {
        return Combine.UPDATE;
    }
}
