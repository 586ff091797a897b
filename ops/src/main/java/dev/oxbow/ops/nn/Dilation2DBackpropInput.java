package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Dilation;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code Dilation2D} to its input. */
@Signature(
        "Dilation2DBackpropInput(input: T, filter: T, out_backprop: T) -> (in_backprop: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]; strides: list(int) >= 4; rates: list(int) >= 4; padding: string in [\"SAME\" \"VALID\"]}")
public record Dilation2DBackpropInput(List<Long> strides, List<Long> rates, String padding) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        dilation().checkGradient(c);
        return List.of(c.input(0));
    }

    private Dilations dilation() {
        return new Dilations(strides, rates, padding);
    }

    @Override
    public Kernel cpu() {
        Dilations d = dilation();
        return c -> {
            Tensor x = c.input(0), f = c.input(1), dy = c.input(2);
            Dilation.inputGradient(x, f, dy, d.over(x.shape(), f.shape()), c.output(0), c.memory());
        };
    }
}
