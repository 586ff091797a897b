package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Levels joined along an axis, which comes first, all of them between the limits of the widest. */
@Signature(
        "QuantizedConcat(concat_dim: int32, values: N*T, input_mins: N*float, input_maxes: N*float) -> (output: T, output_min: float, output_max: float) {N: int >= 2; T: type}")
public record QuantizedConcat() implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return LevelJoins.infer(c, true);
    }

    @Override
    public Kernel cpu() {
        return c -> LevelJoins.run(c, true);
    }
}
