package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Grid;
import dev.oxbow.ops.image.ResizeBilinear;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Images of levels in another size, by linear interpolation. */
@Signature(
        "QuantizedResizeBilinear(images: T, size: int32, min: float, max: float) -> (resized_images: T, out_min: float, out_max: float) {T: type in [QUINT8 QINT32 FLOAT]; align_corners: bool = false; half_pixel_centers: bool = false}")
public record QuantizedResizeBilinear(boolean alignCorners, boolean halfPixelCenters) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 4);
        return Ranged.types(
                c,
                new ResizeBilinear(alignCorners, halfPixelCenters)
                        .infer(c)
                        .get(0)
                        .shape());
    }

    @Override
    public Kernel cpu() {
        Grid grid = new Grid(alignCorners, halfPixelCenters);
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Shape in = x.shape(), out = y.shape();
            require(
                    in.dim(1) > 0 && in.dim(2) > 0,
                    INVALID_ARGUMENT,
                    "input image must be of non-zero size, got %s",
                    in);
            require(
                    out.dim(1) > 0 && out.dim(2) > 0 && in.dim(3) > 0,
                    INVALID_ARGUMENT,
                    "output dimensions and channels must be positive, got %s",
                    out);
            if (y.size() > 0 && x.dtype() == DType.F32)
                Resize.run(
                        x,
                        Resize.bilinear(in.dim(1), out.dim(1), grid),
                        Resize.bilinear(in.dim(2), out.dim(2), grid),
                        y,
                        c.parallel());
            else if (y.size() > 0) LevelResize.of(grid, x.dtype()).run(x, y);
            Ranged.give(c, Levels.limit(c, 2), Levels.limit(c, 3));
        };
    }
}
