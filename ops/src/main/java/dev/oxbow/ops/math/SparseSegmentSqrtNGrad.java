package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Gradient of {@code SparseSegmentSqrtN} in the shape of its data. */
@Signature(
        "SparseSegmentSqrtNGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32}")
public record SparseSegmentSqrtNGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SegmentGradients.infer(c);
    }

    @Override
    public Kernel cpu() {
        return SegmentGradients.kernel(Segments.Kind.SQRT_N);
    }
}
