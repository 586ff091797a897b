package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.ops.Value;
import java.util.List;

/** The input itself, which must hold neither infinities nor NaN. */
@Signature(
        "CheckNumericsV2(tensor: T) -> (output: T) {T: type in [BFLOAT16 HALF FLOAT DOUBLE]; message: string} stateful")
public record CheckNumericsV2(String message) implements Differentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Printing.requireFinite(c.input(0), message, true);
            c.forward(0, 0);
        };
    }

    /** {@code dx = dy}, which is checked too. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new CheckNumericsV2(
                        "Not a number (NaN) or infinity (Inf) values detected in gradient. %s".formatted(message)),
                g.gradient(0)));
    }
}
