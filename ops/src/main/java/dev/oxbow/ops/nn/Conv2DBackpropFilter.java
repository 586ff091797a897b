package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Conv;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code Conv2D} to its filter, of the shape that filter_sizes spells. */
@Signature(
        "Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record Conv2DBackpropFilter(
        List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat, List<Long> dilations)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferSizes(c, window(), 1, false);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return Convolutions.work(c.shape(2), outputs.get(0).shape());
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.summands(outputs, 0, Pieces.WHOLE, 0) : null;
    }

    @Override
    public Kernel cpu() {
        return Convolutions.filterGradient(window(), false, Conv::filterGradient);
    }

    /** It is linear in the input and in the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.input(2), d = g.gradient(0);
        return Arrays.asList(
                Value.apply(
                        new Conv2DBackpropInput(strides, padding, explicitPaddings, dataFormat, dilations),
                        x.runtimeShape(),
                        d,
                        dy),
                null,
                Value.apply(new Conv2D(strides, padding, explicitPaddings, dataFormat, dilations), x, d));
    }
}
