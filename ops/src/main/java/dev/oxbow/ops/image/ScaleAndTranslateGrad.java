package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Resize;
import dev.oxbow.kernels.image.Resize.Taps;
import dev.oxbow.kernels.image.Sampling;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code ScaleAndTranslate}, of the original image's size. */
@Signature(
        "ScaleAndTranslateGrad(grads: T, original_image: T, scale: float, translation: float) -> (output: T) {T: type in [FLOAT]; kernel_type: string = \"lanczos3\"; antialias: bool = true}")
public record ScaleAndTranslateGrad(String kernelType, boolean antialias) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(2, 2);
        c.vector(3, 2);
        return Images.like(c, 1);
    }

    @Override
    public Kernel cpu() {
        Sampling kernel = Sampling.of(kernelType);
        return c -> {
            Tensor dy = c.input(0), dx = c.output(0), scale = c.input(2), move = c.input(3);
            Images.checkSize(dy.shape(), dx.shape());
            if (dx.size() == 0) return;
            Taps rows = kernel.taps(
                    dx.shape().dim(1),
                    dy.shape().dim(1),
                    (float) scale.getDouble(0),
                    (float) move.getDouble(0),
                    antialias);
            Taps columns = kernel.taps(
                    dx.shape().dim(2),
                    dy.shape().dim(2),
                    (float) scale.getDouble(1),
                    (float) move.getDouble(1),
                    antialias);
            Resize.gradient(dy, rows, columns, dx, c.parallel());
        };
    }
}
