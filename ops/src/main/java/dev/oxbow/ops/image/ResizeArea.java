package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import java.util.List;

/** Images in another size, each pixel the mean of the area that it covers; in f32. */
@Signature(
        "ResizeArea(images: T, size: int32) -> (resized_images: float) {T: type in [INT8 UINT8 INT16 UINT16 INT32 INT64 HALF FLOAT DOUBLE BFLOAT16]; align_corners: bool = false}")
public record ResizeArea(boolean alignCorners) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.resized(c);
    }

    @Override
    public Kernel cpu() {
        return Images.resize(Resize::area, new Grid(alignCorners, false));
    }
}
