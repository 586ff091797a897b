package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Gradient of {@code SparseSegmentSum}: only the rows that were picked, and their sorted indices. */
@Signature(
        "SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> (output: T, sorted_unique_indices: Tidx) {T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32; Tsegmentids: type in [INT32 INT64] = INT32}")
public record SparseSegmentSumGradV2() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SegmentGradients.inferSparse(c);
    }

    @Override
    public Kernel cpu() {
        return SegmentGradients.sparseKernel(Segments.Kind.SUM);
    }
}
