package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Minima of rows with the same id, in any order; negative ids are left out. */
@Signature(
        "UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in [REAL]; Tindices: type in [INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record UnsortedSegmentMin() implements Differentiable, SegmentReduction.Unsorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.MIN;
    }

    /** Shared evenly by the rows that gave the value. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value ids = g.input(1), n = g.input(2);
        Value dx = Segments.share(
                g.input(0),
                g.output(0),
                g.gradient(0),
                v -> Value.apply(new UnsortedSegmentSum(), v, ids, n),
                v -> Segments.pickPositive(v, ids));
        return Arrays.asList(dx, null, null);
    }
}
