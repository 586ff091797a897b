package dev.oxbow.ops.quantised;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The same levels in another shape, between the same limits. */
@Signature(
        "QuantizedReshape(tensor: T, shape: Tshape, input_min: float, input_max: float) -> (output: T, output_min: float, output_max: float) {T: type; Tshape: type in [INT32 INT64] = INT32}")
public record QuantizedReshape() implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 4);
        return Ranged.types(c, new Reshape().infer(c).get(0).shape());
    }

    @Override
    public Kernel cpu() {
        return c -> {
            try (Tensor same = c.input(0).view(c.output(0).shape())) {
                same.copyTo(c.output(0));
            }
            Ranged.give(c, Levels.limit(c, 2), Levels.limit(c, 3));
        };
    }
}
