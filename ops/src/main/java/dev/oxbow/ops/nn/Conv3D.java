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

/** Convolution over planes, rows and columns: {@code y[o] = sum over taps of x[o * stride + tap * dilation - before] f[tap]}. */
@Signature(
        "Conv3D(input: T, filter: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 i: 1 }}")
public record Conv3D(List<Long> strides, String padding, String dataFormat, List<Long> dilations)
        implements Differentiable {

    /** Channels last, without dilation. */
    public Conv3D(List<Long> strides, String padding) {
        this(strides, padding, "NDHWC", List.of(1L, 1L, 1L, 1L, 1L));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.infer(c, window(), false);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(3, strides, dilations, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0, Pieces.WHOLE) : null;
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
                        new Conv3DBackpropInputV2(strides, padding, dataFormat, dilations),
                        x.runtimeShape(),
                        filter,
                        dy),
                Value.apply(
                        new Conv3DBackpropFilterV2(strides, padding, dataFormat, dilations),
                        x,
                        filter.runtimeShape(),
                        dy));
    }
}
