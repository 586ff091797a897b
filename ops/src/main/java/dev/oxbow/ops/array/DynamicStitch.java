package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** Rows merged by index: {@code merged[indices[i][j]] = data[i][j]}. */
@Signature("DynamicStitch(indices: N*int32, data: N*T) -> (merged: T) {N: int >= 1; T: type}")
public record DynamicStitch() implements Stitches.Stitch {}
