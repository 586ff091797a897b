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
import java.util.List;

/** Convolution of every channel with its own filters: output channel {@code c * multiplier + q} is {@code x[c] * f[c, q]}. */
@Signature(
        "DepthwiseConv2dNative(input: T, filter: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int); padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record DepthwiseConv2dNative(
        List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat, List<Long> dilations)
        implements Differentiable {

    /** Channels last, without dilation. */
    public DepthwiseConv2dNative(List<Long> strides, String padding) {
        this(strides, padding, List.of(), "NHWC", List.of(1L, 1L, 1L, 1L));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.infer(c, window(), true);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0, Pieces.WHOLE) : null;
    }

    @Override
    public Kernel cpu() {
        return Convolutions.kernel(window(), DepthwiseConv::forward);
    }

    /** The two other convolutions of the family. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), filter = g.input(1), dy = g.gradient(0);
        return List.of(
                Value.apply(
                        new DepthwiseConv2dNativeBackpropInput(
                                strides, padding, explicitPaddings, dataFormat, dilations),
                        x.runtimeShape(),
                        filter,
                        dy),
                Value.apply(
                        new DepthwiseConv2dNativeBackpropFilter(
                                strides, padding, explicitPaddings, dataFormat, dilations),
                        x,
                        filter.runtimeShape(),
                        dy));
    }
}
