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

/** Sums of rows picked by index with the same id; ids are sorted. */
@Signature(
        "SparseSegmentSumWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) -> (output: T) {T: type in [REAL]; Tidx: type in [INT32 INT64] = INT32; Tnumsegments: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32; sparse_gradient: bool = false}")
public record SparseSegmentSumWithNumSegments() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Segments.inferSorted(c, 2, 3);
    }

    @Override
    public Kernel cpu() {
        return Segments.sparse(Segments.Kind.SUM);
    }

    /** The rows of dy back where they were picked. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value rows = g.ops().constant(new int[] {0});
        Value n = g.input(0).runtimeShape().gather(rows, 0).reshape();
        Value dx = Value.apply(new SparseSegmentSumGrad(), g.gradient(0), g.input(1), g.input(2), n);
        return Arrays.asList(dx, null, null, null);
    }
}
