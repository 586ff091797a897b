package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import java.util.List;

/** Gradient of {@code ResizeBicubic}, of the original image's size and dtype. */
@Signature(
        "ResizeBicubicGrad(grads: float, original_image: T) -> (output: T) {T: type in [FLOAT DOUBLE]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record ResizeBicubicGrad(boolean alignCorners, boolean halfPixelCenters) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.like(c, 1);
    }

    @Override
    public Kernel cpu() {
        return Images.gradient(Resize::bicubic, new Grid(alignCorners, halfPixelCenters));
    }
}
