package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Maxima of rows with the same id; ids are sorted, and the number of segments is given. */
@Signature(
        "SegmentMaxV2(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in [REAL]; Tindices: type in [INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record SegmentMaxV2() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Segments.inferSorted(c, 1, 2);
    }

    @Override
    public Kernel cpu() {
        return Segments.sorted(Segments.Kind.MAX, true);
    }
}
