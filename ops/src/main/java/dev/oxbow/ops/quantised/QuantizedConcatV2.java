package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Levels joined along an axis, all of them between the limits of the widest. */
@Signature(
        "QuantizedConcatV2(values: N*T, axis: Tidx, input_mins: N*float, input_maxes: N*float) -> (output: T, output_min: float, output_max: float) {N: int >= 2; T: type; Tidx: type in [INT32 INT64] = INT32}")
public record QuantizedConcatV2() implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return LevelJoins.infer(c, false);
    }

    @Override
    public Kernel cpu() {
        return c -> LevelJoins.run(c, false);
    }
}
