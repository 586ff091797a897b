package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** The different slices along an axis in order of first occurrence, and which of them each slice is. */
@Signature(
        "UniqueV2(x: T, axis: Taxis) -> (y: T, idx: out_idx) {T: type; Taxis: type in [INT32 INT64] = INT64; out_idx: type in [INT32 INT64] = INT32}")
public record UniqueV2(DType outIdx) implements Uniques.First {}
