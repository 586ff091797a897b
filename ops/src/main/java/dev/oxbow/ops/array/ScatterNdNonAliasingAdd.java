package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** The input with updates added at coordinates. */
@Signature(
        "ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> (output: T) {T: type in [NUMBER BOOL]; Tindices: type in [INT32 INT64]; bad_indices_policy: string = \"\"}")
public record ScatterNdNonAliasingAdd() implements Scatters.Add {}
