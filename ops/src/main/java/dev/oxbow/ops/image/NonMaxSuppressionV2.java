package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code NonMaxSuppression} with its threshold as an input. */
@Signature(
        "NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold) -> (selected_indices: int32) {T: type in [HALF FLOAT] = FLOAT; T_threshold: type in [HALF FLOAT] = FLOAT}")
public record NonMaxSuppressionV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(3);
        Suppressions.check(c, 4);
        return List.of(new TensorType(DType.I32, Shape.ofRank(1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            double iou = c.input(3).getDouble(0);
            Suppressions.store(
                    c, Suppressions.run(c, Suppressions.byBoxes(c, iou), iou, Double.NEGATIVE_INFINITY, 0), false);
        };
    }
}
