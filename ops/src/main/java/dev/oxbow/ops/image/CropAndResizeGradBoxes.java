package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Crop;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code CropAndResize} to the boxes. */
@Signature(
        "CropAndResizeGradBoxes(grads: float, image: T, boxes: float, box_ind: int32) -> (output: float) {T: type in [UINT8 UINT16 INT8 INT16 INT32 INT64 HALF FLOAT DOUBLE]; method: string in [\"bilinear\"] = \"bilinear\"}")
public record CropAndResizeGradBoxes(String method) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Images.images(c, 0);
        Images.images(c, 1);
        Shape boxes = Images.ranked(c, 2, 2), indices = Images.ranked(c, 3, 1);
        require(boxes.dim(1) < 0 || boxes.dim(1) == 4, INVALID_ARGUMENT, "boxes must have 4 columns, got %s", boxes);
        require(
                boxes.dim(0) < 0 || indices.dim(0) < 0 || boxes.dim(0) == indices.dim(0),
                INVALID_ARGUMENT,
                "box_index has incompatible shape: %s for boxes of %s",
                indices,
                boxes);
        c.sameDim(0, 0, 2, 0);
        c.sameDim(0, 3, 1, 3);
        return List.of(c.input(2));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor dy = c.input(0), x = c.input(1);
            new Crop(
                            Counts.toInt(dy.shape().dim(1)),
                            Counts.toInt(dy.shape().dim(2)),
                            x.shape().dim(1),
                            x.shape().dim(2),
                            false)
                    .boxGradient(dy, x, c.input(2), c.input(3), c.output(0));
        };
    }
}
