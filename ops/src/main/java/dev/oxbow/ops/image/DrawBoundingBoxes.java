package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Images with a frame around each box. */
@Signature("DrawBoundingBoxes(images: T, boxes: float) -> (output: T) {T: type in [FLOAT HALF] = FLOAT}")
public record DrawBoundingBoxes() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = Images.images(c, 0), boxes = Images.ranked(c, 1, 3);
        require(
                (x.dim(0) < 0 || boxes.dim(0) < 0 || x.dim(0) == boxes.dim(0))
                        && (boxes.dim(2) < 0 || boxes.dim(2) == 4),
                INVALID_ARGUMENT,
                "boxes must be [batch, boxes, 4], got %s for images of %s",
                boxes,
                x);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            int depth = Counts.toInt(x.shape().dim(3));
            require(
                    depth == 1 || depth == 3 || depth == 4,
                    INVALID_ARGUMENT,
                    "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got %d",
                    depth);
            Boxes.draw(x, c.input(1), Boxes.colours(null, depth), c.output(0));
        };
    }
}
