package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.move.Combine;

/** Combines slices into a referenced variable: {@code v[indices[i, 0], indices[i, 1], ...] += updates[i]}. */
@Signature(
        "ScatterNdAdd(ref: ref T, indices: Tindices, updates: T) -> (output_ref: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; bad_indices_policy: string = \"\"}")
public record ScatterNdAdd() implements ScatterUpdates.RefNd {

    @Override
    public Combine combine() {
        return Combine.ADD;
    }
}
