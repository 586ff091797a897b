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
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Images in another size, by cubic interpolation over four by four neighbours; in f32. */
@Signature(
        "ResizeBicubic(images: T, size: int32) -> (resized_images: float) {T: type in [INT8 UINT8 INT16 UINT16 INT32 INT64 HALF FLOAT DOUBLE BFLOAT16]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record ResizeBicubic(boolean alignCorners, boolean halfPixelCenters) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.resized(c);
    }

    @Override
    public Kernel cpu() {
        return Images.resize(Resize::bicubic, new Grid(alignCorners, halfPixelCenters));
    }

    /** The interpolation turned around; none to images of whole numbers. */
    @Override
    public List<Value> gradient(GradientContext g) {
        boolean has = g.input(0).dtype() == DType.F32 || g.input(0).dtype() == DType.F64;
        return Arrays.asList(
                has
                        ? Value.apply(new ResizeBicubicGrad(alignCorners, halfPixelCenters), g.gradient(0), g.input(0))
                        : null,
                null);
    }
}
