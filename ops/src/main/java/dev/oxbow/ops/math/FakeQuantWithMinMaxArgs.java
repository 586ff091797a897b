package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Rounding to quantised levels between fixed limits. */
@Signature(
        "FakeQuantWithMinMaxArgs(inputs: float) -> (outputs: float) {min: float = -6.0; max: float = 6.0; num_bits: int = 8; narrow_range: bool = false}")
public record FakeQuantWithMinMaxArgs(float min, float max, int numBits, boolean narrowRange)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        FakeQuant.check(numBits, min, max);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        FakeQuant[] levels = {FakeQuant.of(min, max, numBits, narrowRange)};
        return c -> FakeQuant.run(c.input(0), levels, c.output(0));
    }

    /** {@code dx = dy} between the limits. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new FakeQuantWithMinMaxArgsGradient(min, max, numBits, narrowRange), g.gradient(0), g.input(0)));
    }
}
