package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Means of rows with the same id; ids are sorted. */
@Signature(
        "SegmentMean(data: T, segment_ids: Tindices) -> (output: T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]}")
public record SegmentMean() implements Differentiable, SegmentReduction.Sorted {

    @Override
    public Segments.Kind kind() {
        return Segments.Kind.MEAN;
    }

    /** {@code dx[i] = dy[ids[i]] / n}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0),
                ids = g.input(1),
                dy = g.gradient(0),
                one = g.ops().constant(DType.I32, 1);
        Value zero = g.ops().constant(DType.I32, 0);
        Value more = Value.apply(new Fill(), x.runtimeRank().minus(one).reshape(1), one);
        Value shape = Value.apply(new ConcatV2(), ids.runtimeShape(), more, zero);
        Value ones = Value.apply(new Fill(), shape, dy.constantLike(1));
        Value scaled = dy.dividedBy(Value.apply(new SegmentSum(), ones, ids));
        return Arrays.asList(Segments.pick(scaled, ids), null);
    }
}
