package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a referenced variable: {@code v[indices[i]] = max updates[i]}. */
@Signature(
        "ScatterMax(ref: ref T, indices: Tindices, updates: T) -> (output_ref: ref T) {T: type in [FLOATING INT32 INT64]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record ScatterMax() implements ScatterUpdates.RefRows {

    @Override
    public Combine combine() {
        return Combine.MAX;
    }
}
