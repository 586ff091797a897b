package dev.oxbow.ops.math;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;

/** Means of rows picked by index with the same id; ids are sorted. */
@Signature(
        "SparseSegmentMean(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32; sparse_gradient: bool = false}")
public record SparseSegmentMean() implements SegmentReduction.Sparse {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.MEAN;
    }

    @Override
    public Op gradientOp() {
        return new SparseSegmentMeanGrad();
    }
}
