package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Sums of rows with the same id; ids are sorted. */
@Signature(
        "SegmentSum(data: T, segment_ids: Tindices) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]}")
public record SegmentSum() implements Differentiable, SegmentReduction.Sorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SUM;
    }

    /** {@code dx[i] = dy[ids[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Segments.pick(g.gradient(0), g.input(1)), null);
    }
}
