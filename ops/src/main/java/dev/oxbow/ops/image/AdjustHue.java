package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import java.util.List;

/** Turns the hue of pixels by a part of a full turn. */
@Signature("AdjustHue(images: T, delta: float) -> (output: T) {T: type in [HALF FLOAT] = FLOAT}")
public record AdjustHue() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Images.scalar(c, 1);
        return Images.pixels(c, 3);
    }

    @Override
    public Kernel cpu() {
        return c -> Colours.each(
                c.input(0), c.output(0), Colours.hue((float) c.input(1).getDouble(0)), c.parallel());
    }
}
