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

/** Gradient of {@code ResizeBilinear}, of the original image's size and dtype. */
@Signature(
        "ResizeBilinearGrad(grads: float, original_image: T) -> (output: T) {T: type in [FLOAT BFLOAT16 HALF DOUBLE]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record ResizeBilinearGrad(boolean alignCorners, boolean halfPixelCenters) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.like(c, 1);
    }

    @Override
    public Kernel cpu() {
        return Images.gradient(Resize::bilinear, new Grid(alignCorners, halfPixelCenters));
    }

    /** The gradient resized like the image. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                Value.apply(
                        new ResizeBilinear(alignCorners, halfPixelCenters),
                        g.gradient(0),
                        Images.runtimeSize(g.input(0))),
                null);
    }
}
