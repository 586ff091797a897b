package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;

/** Sums of rows with the same id; ids are sorted, and the number of segments is given. */
@Signature(
        "SegmentSumV2(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record SegmentSumV2() implements SegmentReduction.Sorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SUM;
    }
}
