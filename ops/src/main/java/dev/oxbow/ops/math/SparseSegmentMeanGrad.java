package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;

/** Gradient of {@code SparseSegmentMean} in the shape of its data. */
@Signature(
        "SparseSegmentMeanGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32}")
public record SparseSegmentMeanGrad() implements SegmentReduction.SparseGradient {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.MEAN;
    }
}
