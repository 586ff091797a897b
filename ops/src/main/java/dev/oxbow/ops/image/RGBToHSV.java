package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import java.util.List;

/** Red, green and blue to hue, saturation and value. */
@Signature("RGBToHSV(images: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE] = FLOAT}")
public record RGBToHSV() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Images.pixels(c, 1);
    }

    @Override
    public Kernel cpu() {
        return Images.pixelwise(Colours::toHsv);
    }
}
