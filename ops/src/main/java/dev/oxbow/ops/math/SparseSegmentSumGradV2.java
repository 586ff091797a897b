package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;

/** Gradient of {@code SparseSegmentSum}: only the rows that were picked, and their sorted indices. */
@Signature(
        "SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> (output: T, sorted_unique_indices: Tidx) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32}")
public record SparseSegmentSumGradV2() implements SegmentReduction.SparseGradientRows {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SUM;
    }
}
