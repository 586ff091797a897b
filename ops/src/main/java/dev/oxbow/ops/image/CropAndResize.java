package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Crop;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Crops of images by boxes of relative corners, resized to one size; in f32. */
@Signature(
        "CropAndResize(image: T, boxes: float, box_ind: int32, crop_size: int32) -> (crops: float) {T: type in [UINT8 UINT16 INT8 INT16 INT32 INT64 HALF FLOAT DOUBLE]; method: string in [\"bilinear\" \"nearest\"] = \"bilinear\"; extrapolation_value: float = 0.0}")
public record CropAndResize(String method, float extrapolationValue) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = Images.images(c, 0);
        Shape boxes = Images.ranked(c, 1, 2), indices = Images.ranked(c, 2, 1);
        require(boxes.dim(1) < 0 || boxes.dim(1) == 4, INVALID_ARGUMENT, "boxes must have 4 columns, got %s", boxes);
        require(
                boxes.dim(0) < 0 || indices.dim(0) < 0 || boxes.dim(0) == indices.dim(0),
                INVALID_ARGUMENT,
                "box_index has incompatible shape: %s for boxes of %s",
                indices,
                boxes);
        long[] size = c.longs(3);
        if (size == null) size = new long[] {-1, -1};
        else
            require(
                    size.length == 2 && size[0] >= 0 && size[1] >= 0,
                    INVALID_ARGUMENT,
                    "crop dimensions must be two numbers that are not negative, got %s",
                    Arrays.toString(size));
        return List.of(new TensorType(
                DType.F32, Shape.of(Math.max(boxes.dim(0), indices.dim(0)), size[0], size[1], x.dim(3))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            require(
                    x.shape().dim(1) > 0
                            && x.shape().dim(2) > 0
                            && y.shape().dim(1) > 0
                            && y.shape().dim(2) > 0,
                    INVALID_ARGUMENT,
                    "image and crop dimensions must be positive, got %s and %s",
                    x.shape(),
                    y.shape());
            new Crop(
                            Counts.toInt(y.shape().dim(1)),
                            Counts.toInt(y.shape().dim(2)),
                            x.shape().dim(1),
                            x.shape().dim(2),
                            method.equals("nearest"))
                    .forward(x, c.input(1), c.input(2), extrapolationValue, y, c.parallel());
        };
    }

    /** To the image and to the boxes; none to images of whole numbers. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), boxes = g.input(1), indices = g.input(2), dy = g.gradient(0);
        Value dx = x.dtype().isFloating()
                ? Value.apply(new CropAndResizeGradImage(x.dtype(), method), dy, boxes, indices, x.runtimeShape())
                : null;
        return Arrays.asList(
                dx, Value.apply(new CropAndResizeGradBoxes("bilinear"), dy, x, boxes, indices), null, null);
    }
}
