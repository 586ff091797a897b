package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import java.util.Arrays;
import java.util.List;

/** Rounding to quantised levels and back, with the number of bits as an input. */
@Signature(
        "QuantizeAndDequantizeV3(input: T, input_min: T, input_max: T, num_bits: int32) -> (output: T) {signed_input: bool = true; range_given: bool = true; T: type in [FLOATING]; narrow_range: bool = false; axis: int = -1}")
public record QuantizeAndDequantizeV3(boolean signedInput, boolean rangeGiven, boolean narrowRange, int axis)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(3);
        return QuantizedRange.infer(c, axis);
    }

    @Override
    public Kernel cpu() {
        var settings = new QuantizedRange.Settings(signedInput, rangeGiven, narrowRange, false, axis);
        return c -> QuantizedRange.run(
                c.input(0), c.input(1), c.input(2), Counts.toInt(c.input(3).getLong(0)), settings, c.output(0));
    }

    /** {@code dx = dy}, as if nothing were rounded; none for the limits. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(g.gradient(0), null, null, null);
    }
}
