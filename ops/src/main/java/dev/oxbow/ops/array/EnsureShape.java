package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The input, after a check that its shape fits. */
@Signature("EnsureShape(input: T) -> (output: T) {shape: shape; T: type}")
public record EnsureShape(Shape shape) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0), both = x.merge(shape);
        require(
                both != null,
                INVALID_ARGUMENT,
                "Shape of tensor %s %s is not compatible with expected shape %s.",
                c.source(0),
                x,
                shape);
        return List.of(c.input(0).withShape(both));
    }

    @Override
    public Kernel cpu() {
        return c -> c.forward(0, 0);
    }

    /** {@code dx = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0));
    }
}
