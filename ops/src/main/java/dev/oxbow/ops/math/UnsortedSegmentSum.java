package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Sums of rows with the same id, in any order; negative ids are left out. */
@Signature(
        "UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT16 INT32 INT64]; Tnumsegments: type in [INT32 INT64] = INT32}")
public record UnsortedSegmentSum() implements Differentiable, SegmentReduction.Unsorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.SUM;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int at = c.shape(1).rank() + axis - 1;
        return axis == 0 ? null : Pieces.along(axis, outputs, at, Pieces.WHOLE, Pieces.WHOLE);
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis < c.shape(1).rank() ? Pieces.summands(outputs, axis, axis, Pieces.WHOLE) : null;
    }

    /** {@code dx[i] = dy[ids[i]]}, and 0 where the id is negative. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Segments.pickPositive(g.gradient(0), g.input(1)), null, null);
    }
}
