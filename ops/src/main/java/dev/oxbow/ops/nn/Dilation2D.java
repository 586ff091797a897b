package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Dilation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Greyscale dilation: {@code y[o, c] = max over taps of x[o * stride + tap * rate, c] + f[tap, c]}. */
@Signature(
        "Dilation2D(input: T, filter: T) -> (output: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]; strides: list(int) >= 4; rates: list(int) >= 4; padding: string in [\"SAME\" \"VALID\"]}")
public record Dilation2D(List<Long> strides, List<Long> rates, String padding) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return dilation().infer(c);
    }

    private Dilations dilation() {
        return new Dilations(strides, rates, padding);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), f = c.input(1);
            Dilation.forward(x, f, dilation().over(x.shape(), f.shape()), c.output(0), c.parallel());
        };
    }

    /** Each gradient goes to the input and to the filter element of the largest sum. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), f = g.input(1), dy = g.gradient(0);
        return List.of(
                Value.apply(new Dilation2DBackpropInput(strides, rates, padding), x, f, dy),
                Value.apply(new Dilation2DBackpropFilter(strides, rates, padding), x, f, dy));
    }
}
