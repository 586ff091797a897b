package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a referenced variable: {@code v[indices[i]] /= updates[i]}. */
@Signature(
        "ScatterDiv(ref: ref T, indices: Tindices, updates: T) -> (output_ref: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record ScatterDiv() implements ScatterUpdates.RefRows {

    @Override
    public Combine combine() {
        return Combine.DIV;
    }
}
