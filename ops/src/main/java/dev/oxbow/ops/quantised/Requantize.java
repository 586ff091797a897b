package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Levels between limits as levels between others. */
@Signature(
        "Requantize(input: Tinput, input_min: float, input_max: float, requested_output_min: float, requested_output_max: float) -> (output: out_type, output_min: float, output_max: float) {Tinput: type in [QUANTISED]; out_type: type in [QUANTISED]}")
public record Requantize(@Attr("out_type") DType outType) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 1, 5);
        return Ranged.types(c, c.shape(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            float low = Levels.limit(c, 3), high = Levels.limit(c, 4);
            require(low <= 0, INVALID_ARGUMENT, "requested_output_min must be <= 0, but got %s", low);
            require(
                    high >= low,
                    INVALID_ARGUMENT,
                    "requested_output_max must be >= requested_output_min, but got %s and %s",
                    high,
                    low);
            Levels to = new Levels(outType, low, high);
            Narrowing.run(c.input(0), Levels.of(c.input(0), c, 1), to, c.output(0));
            Ranged.give(c, to);
        };
    }
}
