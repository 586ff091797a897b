package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** The different elements in order of first occurrence, and which of them each element is. */
@Signature("Unique(x: T) -> (y: T, idx: out_idx) {T: type; out_idx: type in [INT32 INT64] = INT32}")
public record Unique(DType outIdx) implements Uniques.First {}
