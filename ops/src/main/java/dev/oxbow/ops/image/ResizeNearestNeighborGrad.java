package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code ResizeNearestNeighbor}; size is that of the original image. */
@Signature(
        "ResizeNearestNeighborGrad(grads: T, size: int32) -> (output: T) {T: type in [UINT8 INT8 INT32 HALF FLOAT DOUBLE BFLOAT16]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record ResizeNearestNeighborGrad(boolean alignCorners, boolean halfPixelCenters) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.resized(c);
    }

    @Override
    public Kernel cpu() {
        return Images.gradient(Resize::nearest, new Grid(alignCorners, halfPixelCenters));
    }

    /** The gradient resized like the image. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                Value.apply(
                        new ResizeNearestNeighbor(alignCorners, halfPixelCenters),
                        g.gradient(0),
                        Images.runtimeSize(g.input(0))),
                null);
    }
}
