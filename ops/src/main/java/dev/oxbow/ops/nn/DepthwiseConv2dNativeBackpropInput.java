package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.DepthwiseConv;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code DepthwiseConv2dNative} to its input, of the shape that input_sizes spells. */
@Signature(
        "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int); padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record DepthwiseConv2dNativeBackpropInput(
        List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat, List<Long> dilations)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferSizes(c, window(), 0, true);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, Pieces.SHAPE, Pieces.WHOLE, 0) : null;
    }

    @Override
    public Kernel cpu() {
        return Convolutions.inputGradient(window(), true, DepthwiseConv::inputGradient);
    }

    /** It is linear in the filter and in the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value filter = g.input(1), dy = g.input(2), d = g.gradient(0);
        return Arrays.asList(
                null,
                Value.apply(
                        new DepthwiseConv2dNativeBackpropFilter(
                                strides, padding, explicitPaddings, dataFormat, dilations),
                        d,
                        filter.runtimeShape(),
                        dy),
                Value.apply(
                        new DepthwiseConv2dNative(strides, padding, explicitPaddings, dataFormat, dilations),
                        d,
                        filter));
    }
}
