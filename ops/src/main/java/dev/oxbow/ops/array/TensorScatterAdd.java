package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** The input with updates added at coordinates. */
@Signature(
        "TensorScatterAdd(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in [INT32 INT64]; bad_indices_policy: string = \"\"}")
public record TensorScatterAdd() implements Scatters.Add {}
