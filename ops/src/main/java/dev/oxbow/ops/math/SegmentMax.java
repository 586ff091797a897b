package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Maxima of rows with the same id; ids are sorted. */
@Signature(
        "SegmentMax(data: T, segment_ids: Tindices) -> (output: T) {T: type in [REAL]; Tindices: type in [INT32 INT64]}")
public record SegmentMax() implements Differentiable, SegmentReduction.Sorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.MAX;
    }

    /** Shared evenly by the rows that gave the value. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value ids = g.input(1);
        Value dx = Segments.share(
                g.input(0),
                g.output(0),
                g.gradient(0),
                v -> Value.apply(new SegmentSum(), v, ids),
                v -> Segments.pick(v, ids));
        return Arrays.asList(dx, null);
    }
}
