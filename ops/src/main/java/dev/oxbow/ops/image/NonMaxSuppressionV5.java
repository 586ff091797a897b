package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Suppression.Chosen;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code NonMaxSuppressionV4} with the scores of the chosen boxes; a sigma above 0 lets scores decay instead of dropping boxes. */
@Signature(
        "NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T) -> (selected_indices: int32, selected_scores: T, valid_outputs: int32) {T: type in [HALF FLOAT] = FLOAT; pad_to_max_output_size: bool = false}")
public record NonMaxSuppressionV5(boolean padToMaxOutputSize) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(3);
        c.scalar(4);
        c.scalar(5);
        Suppressions.check(c, 4);
        return List.of(
                new TensorType(DType.I32, Shape.ofRank(1)),
                new TensorType(c.dtype(1), Shape.ofRank(1)),
                new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            double iou = c.input(3).getDouble(0),
                    score = c.input(4).getDouble(0),
                    sigma = c.input(5).getDouble(0);
            Chosen chosen = Suppressions.run(c, Suppressions.byBoxes(c, iou), iou, score, sigma);
            Suppressions.store(c, chosen, padToMaxOutputSize);
            Tensor scores = c.allocate(1, Shape.of(Suppressions.size(c, chosen, padToMaxOutputSize)));
            Memory.zero(scores.address(), scores.byteSize());
            for (int i = 0; i < chosen.scores().size(); i++)
                scores.set(i, chosen.scores().get(i));
            c.output(2).setLong(0, chosen.boxes().size());
        };
    }
}
