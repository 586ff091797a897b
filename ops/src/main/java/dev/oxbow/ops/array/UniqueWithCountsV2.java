package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** {@code UniqueV2}, and how often each occurs. */
@Signature(
        "UniqueWithCountsV2(x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx) {T: type; Taxis: type in [INT32 INT64] = INT64; out_idx: type in [INT32 INT64] = INT32}")
public record UniqueWithCountsV2(DType outIdx) implements Uniques.Counted {}
