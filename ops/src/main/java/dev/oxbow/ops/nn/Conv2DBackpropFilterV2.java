package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Conv;
import java.util.List;

/** Gradient of {@code Conv2D} to its filter, which is given for its shape. */
@Signature(
        "Conv2DBackpropFilterV2(input: T, filter: T, out_backprop: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record Conv2DBackpropFilterV2(
        List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat, List<Long> dilations)
        implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferLike(c, window(), 1);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Kernel cpu() {
        return Convolutions.filterGradient(window(), false, Conv::filterGradient);
    }
}
