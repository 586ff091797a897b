package dev.oxbow.ops.math;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;

/** Sums of rows picked by index with the same id; ids are sorted. */
@Signature(
        "SparseSegmentSum(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T) {T: type in [REAL]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32; sparse_gradient: bool = false}")
public record SparseSegmentSum() implements SegmentReduction.Sparse {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SUM;
    }

    @Override
    public Op gradientOp() {
        return new SparseSegmentSumGrad();
    }
}
