package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** {@code Unique}, and how often each occurs. */
@Signature(
        "UniqueWithCounts(x: T) -> (y: T, idx: out_idx, count: out_idx) {T: type; out_idx: type in [INT32 INT64] = INT32}")
public record UniqueWithCounts(DType outIdx) implements Uniques.Counted {}
