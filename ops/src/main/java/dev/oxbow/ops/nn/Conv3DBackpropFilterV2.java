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

/** Gradient of {@code Conv3D} to its filter, of the shape that filter_sizes spells. */
@Signature(
        "Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 i: 1 }}")
public record Conv3DBackpropFilterV2(List<Long> strides, String padding, String dataFormat, List<Long> dilations)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferSizes(c, window(), 1, false);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(3, strides, dilations, padding, List.of(), dataFormat);
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
                        new Conv3DBackpropInputV2(strides, padding, dataFormat, dilations), x.runtimeShape(), d, dy),
                null,
                Value.apply(new Conv3D(strides, padding, dataFormat, dilations), x, d));
    }
}
