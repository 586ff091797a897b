package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Levels as those of a narrower type, between the limits that the numbers really have. */
@Signature(
        "QuantizeDownAndShrinkRange(input: Tinput, input_min: float, input_max: float) -> (output: out_type, output_min: float, output_max: float) {Tinput: type in [QUANTISED]; out_type: type in [QUANTISED]}")
public record QuantizeDownAndShrinkRange(@Attr("out_type") DType outType) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 1, 3);
        return Ranged.types(c, c.shape(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            Levels from = Levels.of(x, c, 1);
            float[] range = Narrowing.range(x, from);
            Levels to = new Levels(outType, range[0], range[1]);
            Narrowing.run(x, from, to, c.output(0));
            Ranged.give(c, to);
        };
    }
}
