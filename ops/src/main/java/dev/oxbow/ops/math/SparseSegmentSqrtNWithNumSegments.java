package dev.oxbow.ops.math;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;

/** Sums, divided by the square root of their number, of rows picked by index with the same id; ids are sorted. */
@Signature(
        "SparseSegmentSqrtNWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) -> (output: T) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tnumsegments: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32; sparse_gradient: bool = false}")
public record SparseSegmentSqrtNWithNumSegments() implements SegmentReduction.Sparse {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SQRT_N;
    }

    @Override
    public Op gradientOp() {
        return new SparseSegmentSqrtNGrad();
    }
}
