package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Sums of rows with the same id; ids are sorted. */
@Signature(
        "SegmentSum(data: T, segment_ids: Tindices) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]}")
public record SegmentSum() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Segments.inferSorted(c, 1, -1);
    }

    @Override
    public Kernel cpu() {
        return Segments.sorted(Segments.Kind.SUM, false);
    }

    /** {@code dx[i] = dy[ids[i]]}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Segments.pick(g.gradient(0), g.input(1)), null);
    }
}
