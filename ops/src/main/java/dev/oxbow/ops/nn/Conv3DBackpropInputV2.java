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

/** Gradient of {@code Conv3D} to its input, of the shape that input_sizes spells. */
@Signature(
        "Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 i: 1 }; Tshape: type in [INT32 INT64] = INT32}")
public record Conv3DBackpropInputV2(List<Long> strides, String padding, String dataFormat, List<Long> dilations)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferSizes(c, window(), 0, true);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(3, strides, dilations, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, Pieces.SHAPE, Pieces.WHOLE, 0) : null;
    }

    @Override
    public Kernel cpu() {
        return Convolutions.inputGradient(window(), false, Conv::inputGradient);
    }

    /** It is linear in the filter and in the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value filter = g.input(1), dy = g.input(2), d = g.gradient(0);
        return Arrays.asList(
                null,
                Value.apply(
                        new Conv3DBackpropFilterV2(strides, padding, dataFormat, dilations),
                        d,
                        filter.runtimeShape(),
                        dy),
                Value.apply(new Conv3D(strides, padding, dataFormat, dilations), d, filter));
    }
}
