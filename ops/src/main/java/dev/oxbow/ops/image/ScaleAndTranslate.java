package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Taps;
import dev.oxbow.kernels.image.Sampling;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Images scaled, moved and sampled with a kernel; in f32. */
@Signature(
        "ScaleAndTranslate(images: T, size: int32, scale: float, translation: float) -> (resized_images: float) {T: type in [INT8 UINT8 INT16 UINT16 INT32 INT64 BFLOAT16 HALF FLOAT DOUBLE]; kernel_type: string = \"lanczos3\"; antialias: bool = true}")
public record ScaleAndTranslate(String kernelType, boolean antialias) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(2, 2);
        c.vector(3, 2);
        return Images.resized(c);
    }

    @Override
    public Kernel cpu() {
        Sampling kernel = Sampling.of(kernelType);
        return c -> {
            Tensor x = c.input(0), y = c.output(0), scale = c.input(2), move = c.input(3);
            Images.checkSize(x.shape(), y.shape());
            if (y.size() == 0) return;
            Taps rows = kernel.taps(
                    x.shape().dim(1),
                    y.shape().dim(1),
                    (float) scale.getDouble(0),
                    (float) move.getDouble(0),
                    antialias);
            Taps columns = kernel.taps(
                    x.shape().dim(2),
                    y.shape().dim(2),
                    (float) scale.getDouble(1),
                    (float) move.getDouble(1),
                    antialias);
            Resize.run(x, rows, columns, y, c.parallel());
        };
    }

    /** The sampling turned around. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                Value.apply(
                        new ScaleAndTranslateGrad(kernelType, antialias),
                        g.gradient(0),
                        g.input(0).cast(DType.F32),
                        g.input(2),
                        g.input(3)),
                null,
                null,
                null);
    }
}
