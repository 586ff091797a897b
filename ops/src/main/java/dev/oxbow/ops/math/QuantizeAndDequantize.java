package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Rounding to quantised levels and back, with limits as attributes. */
@Signature(
        "QuantizeAndDequantize(input: T) -> (output: T) {signed_input: bool = true; num_bits: int = 8; range_given: bool = false; input_min: float = 0.0; input_max: float = 0.0; T: type in [FLOATING]}")
public record QuantizeAndDequantize(
        boolean signedInput, int numBits, boolean rangeGiven, float inputMin, float inputMax)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        var settings = new QuantizedRange.Settings(signedInput, rangeGiven, false, false, -1);
        return c -> QuantizedRange.run(
                c.input(0), Tensor.scalar(inputMin), Tensor.scalar(inputMax), numBits, settings, c.output(0));
    }

    /** {@code dx = dy}, as if nothing were rounded. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0));
    }
}
