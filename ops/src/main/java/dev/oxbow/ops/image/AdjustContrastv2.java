package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.image.Colours;
import java.util.List;

/** {@code y = (x - mean) factor + mean}, with the mean of each channel of each image. */
@Signature("AdjustContrastv2(images: T, contrast_factor: float) -> (output: T) {T: type in [HALF FLOAT] = FLOAT}")
public record AdjustContrastv2() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Images.scalar(c, 1);
        require(
                !c.shape(0).isRankKnown() || c.shape(0).rank() >= 3,
                INVALID_ARGUMENT,
                "input must be at least 3-D, got %s",
                c.shape(0));
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> Colours.contrast(c.input(0), (float) c.input(1).getDouble(0), c.output(0), c.parallel());
    }
}
