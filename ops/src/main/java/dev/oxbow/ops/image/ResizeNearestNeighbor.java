package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import dev.oxbow.kernels.image.Resize.Taps;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Images in another size, each pixel the nearest one. */
@Signature(
        "ResizeNearestNeighbor(images: T, size: int32) -> (resized_images: T) {T: type in [INT8 UINT8 INT16 UINT16 INT32 INT64 HALF FLOAT DOUBLE BFLOAT16]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record ResizeNearestNeighbor(boolean alignCorners, boolean halfPixelCenters) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.resized(c);
    }

    @Override
    public Kernel cpu() {
        Grid grid = new Grid(alignCorners, halfPixelCenters);
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Images.checkSize(x.shape(), y.shape());
            if (y.size() == 0) return;
            Taps rows = Resize.nearest(x.shape().dim(1), y.shape().dim(1), grid),
                    columns = Resize.nearest(x.shape().dim(2), y.shape().dim(2), grid);
            Resize.pick(x, rows, columns, y, c.parallel());
        };
    }

    /** Each gradient goes to the pixel that was taken. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                Value.apply(
                        new ResizeNearestNeighborGrad(alignCorners, halfPixelCenters),
                        g.gradient(0),
                        Images.runtimeSize(g.input(0))),
                null);
    }
}
