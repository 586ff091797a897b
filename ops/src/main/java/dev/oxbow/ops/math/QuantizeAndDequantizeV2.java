package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Rounding to quantised levels and back. */
@Signature(
        "QuantizeAndDequantizeV2(input: T, input_min: T, input_max: T) -> (output: T) {signed_input: bool = true; num_bits: int = 8; range_given: bool = false; T: type in [FLOATING]; round_mode: string in [\"HALF_TO_EVEN\" \"HALF_UP\"] = \"HALF_TO_EVEN\"; narrow_range: bool = false; axis: int = -1}")
public record QuantizeAndDequantizeV2(
        boolean signedInput, int numBits, boolean rangeGiven, String roundMode, boolean narrowRange, int axis)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return QuantizedRange.infer(c, axis);
    }

    @Override
    public Kernel cpu() {
        var settings =
                new QuantizedRange.Settings(signedInput, rangeGiven, narrowRange, roundMode.equals("HALF_UP"), axis);
        return c -> QuantizedRange.run(c.input(0), c.input(1), c.input(2), numBits, settings, c.output(0));
    }

    /** {@code dx = dy}, as if nothing were rounded; none for the limits. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(g.gradient(0), null, null);
    }
}
