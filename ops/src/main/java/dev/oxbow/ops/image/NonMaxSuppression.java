package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Chosen boxes, best score first, none overlapping a better one by more than the threshold. */
@Signature(
        "NonMaxSuppression(boxes: float, scores: float, max_output_size: int32) -> (selected_indices: int32) {iou_threshold: float = 0.5}")
public record NonMaxSuppression(float iouThreshold) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Suppressions.check(c, 4);
        return List.of(new TensorType(DType.I32, Shape.ofRank(1)));
    }

    @Override
    public Kernel cpu() {
        return c -> Suppressions.store(
                c,
                Suppressions.run(c, Suppressions.byBoxes(c, iouThreshold), iouThreshold, Double.NEGATIVE_INFINITY, 0),
                false);
    }
}
