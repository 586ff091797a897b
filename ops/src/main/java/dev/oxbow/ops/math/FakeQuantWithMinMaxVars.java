package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Rounding to quantised levels between limits that are learned. */
@Signature(
        "FakeQuantWithMinMaxVars(inputs: float, min: float, max: float) -> (outputs: float) {num_bits: int = 8; narrow_range: bool = false}")
public record FakeQuantWithMinMaxVars(int numBits, boolean narrowRange) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        FakeQuant.check(numBits);
        Arguments.scalar("min", c.shape(1));
        Arguments.scalar("max", c.shape(2));
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> FakeQuant.run(c.input(0), FakeQuant.of(c.input(1), c.input(2), numBits, narrowRange), c.output(0));
    }

    /** {@code dx = dy} between the limits; the limits get what lies outside. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Value.applyAll(
                new FakeQuantWithMinMaxVarsGradient(numBits, narrowRange),
                g.gradient(0),
                g.input(0),
                g.input(1),
                g.input(2));
    }
}
