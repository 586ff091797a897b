package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** A diagonal tensor: {@code y[i, i] = x[i]} for every index i of x, zero elsewhere. */
@Signature("Diag(diagonal: T) -> (output: T) {T: type in [FLOATING COMPLEX INT32 INT64]}")
public record Diag() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.atLeast("diagonal", c.shape(0), 1);
        return List.of(c.input(0).withShape(c.shape(0).concat(c.shape(0))));
    }

    @Override
    public Kernel cpu() {
        return c -> Diagonals.embed(c.input(0), c.output(0));
    }

    /** The diagonal of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new DiagPart(), g.gradient(0)));
    }
}
