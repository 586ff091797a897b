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
import java.util.List;

/** Convolution over rows and columns: {@code y[o] = sum over taps of x[o * stride + tap * dilation - before] f[tap]}. */
@Signature(
        "Conv2D(input: T, filter: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE INT32]; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 }}")
public record Conv2D(
        List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat, List<Long> dilations)
        implements Differentiable {

    /** Channels last, without dilation. */
    public Conv2D(List<Long> strides, String padding) {
        this(strides, padding, List.of(), "NHWC", List.of(1L, 1L, 1L, 1L));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.infer(c, window(), false);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, dilations, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Convolutions.images(outputs, axis, 0, Pieces.WHOLE);
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return Convolutions.work(outputs.get(0).shape(), c.shape(1));
    }

    @Override
    public Kernel cpu() {
        return Convolutions.kernel(window(), Conv::forward);
    }

    /** The two other convolutions of the family. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), filter = g.input(1), dy = g.gradient(0);
        return List.of(
                Value.apply(
                        new Conv2DBackpropInput(strides, padding, explicitPaddings, dataFormat, dilations),
                        x.runtimeShape(),
                        filter,
                        dy),
                Value.apply(
                        new Conv2DBackpropFilter(strides, padding, explicitPaddings, dataFormat, dilations),
                        x,
                        filter.runtimeShape(),
                        dy));
    }
}
