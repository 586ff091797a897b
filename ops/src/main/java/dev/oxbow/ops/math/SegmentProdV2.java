package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;

/** Products of rows with the same id; ids are sorted, and the number of segments is given. */
@Signature(
        "SegmentProdV2(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record SegmentProdV2() implements SegmentReduction.Sorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.PROD;
    }
}
