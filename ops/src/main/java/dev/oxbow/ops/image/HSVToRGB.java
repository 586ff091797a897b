package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Hue, saturation and value to red, green and blue. */
@Signature("HSVToRGB(images: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE] = FLOAT}")
public record HSVToRGB() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.pixels(c, 1);
    }

    @Override
    public Kernel cpu() {
        return Images.pixelwise(Colours::toRgb);
    }
}
