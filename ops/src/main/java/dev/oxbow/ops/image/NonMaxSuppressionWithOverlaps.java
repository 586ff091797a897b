package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Suppression.Chosen;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code NonMaxSuppressionV3} with given overlaps [n, n] instead of boxes. */
@Signature(
        "NonMaxSuppressionWithOverlaps(overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: float) -> (selected_indices: int32)")
public record NonMaxSuppressionWithOverlaps() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(3);
        c.scalar(4);
        Suppressions.check(c, -1);
        return List.of(new TensorType(DType.I32, Shape.ofRank(1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor overlaps = c.input(0);
            long n = overlaps.shape().dim(0);
            Chosen chosen = Suppressions.run(
                    c,
                    (i, j) -> overlaps.getDouble(i * n + j),
                    c.input(3).getDouble(0),
                    c.input(4).getDouble(0),
                    0);
            Suppressions.store(c, chosen, false);
        };
    }
}
