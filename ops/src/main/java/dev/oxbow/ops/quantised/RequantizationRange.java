package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The limits that the numbers of levels really have. */
@Signature(
        "RequantizationRange(input: Tinput, input_min: float, input_max: float) -> (output_min: float, output_max: float) {Tinput: type in [QUANTISED]}")
public record RequantizationRange() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 1, 3);
        TensorType limit = new TensorType(DType.F32, Shape.SCALAR);
        return List.of(limit, limit);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            require(c.input(0).size() > 0, INVALID_ARGUMENT, "Input must not be empty.");
            float[] range = Narrowing.range(c.input(0), Levels.of(c.input(0), c, 1));
            for (int i = 0; i < 2; i++) c.output(i).set(0, range[i]);
        };
    }
}
