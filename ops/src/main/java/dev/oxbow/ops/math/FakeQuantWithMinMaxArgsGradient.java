package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code FakeQuantWithMinMaxArgs}. */
@Signature(
        "FakeQuantWithMinMaxArgsGradient(gradients: float, inputs: float) -> (backprops: float) {min: float = -6.0; max: float = 6.0; num_bits: int = 8; narrow_range: bool = false}")
public record FakeQuantWithMinMaxArgsGradient(float min, float max, int numBits, boolean narrowRange)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        FakeQuant.check(numBits, min, max);
        Shape s = Arguments.merge(c.shape(0), c.shape(1));
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Kernel cpu() {
        FakeQuant[] levels = {FakeQuant.of(min, max, numBits, narrowRange)};
        return c -> FakeQuant.gradient(c.input(0), c.input(1), levels, c.output(0), null, null);
    }
}
