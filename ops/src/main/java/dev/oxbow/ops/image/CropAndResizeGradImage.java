package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Crop;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code CropAndResize} to the images, whose shape is given. */
@Signature(
        "CropAndResizeGradImage(grads: float, boxes: float, box_ind: int32, image_size: int32) -> (output: T) {T: type in [FLOAT HALF DOUBLE]; method: string in [\"bilinear\" \"nearest\"] = \"bilinear\"}")
public record CropAndResizeGradImage(@Attr("T") DType t, String method) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Images.images(c, 0);
        Shape boxes = Images.ranked(c, 1, 2), indices = Images.ranked(c, 2, 1);
        require(boxes.dim(1) < 0 || boxes.dim(1) == 4, INVALID_ARGUMENT, "boxes must have 4 columns, got %s", boxes);
        require(
                boxes.dim(0) < 0 || indices.dim(0) < 0 || boxes.dim(0) == indices.dim(0),
                INVALID_ARGUMENT,
                "box_index has incompatible shape: %s for boxes of %s",
                indices,
                boxes);
        Shape x = c.shapeValue(3).isRankKnown() ? c.shapeValue(3) : Shape.ofRank(4);
        require(x.rank() == 4, INVALID_ARGUMENT, "image_size must have 4 elements, got %s", x);
        c.sameDim(0, 0, 1, 0);
        c.dim(0, 3, x.dim(3));
        return List.of(new TensorType(t, x));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor dy = c.input(0), dx = c.output(0);
            new Crop(
                            Counts.toInt(dy.shape().dim(1)),
                            Counts.toInt(dy.shape().dim(2)),
                            dx.shape().dim(1),
                            dx.shape().dim(2),
                            method.equals("nearest"))
                    .imageGradient(dy, c.input(1), c.input(2), dx);
        };
    }
}
