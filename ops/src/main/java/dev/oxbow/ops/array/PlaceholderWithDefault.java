package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A value that may be fed, else the input. */
@Signature("PlaceholderWithDefault(input: dtype) -> (output: dtype) {dtype: type; shape: shape}")
public record PlaceholderWithDefault(Shape shape) implements Differentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                shape.isCompatibleWith(c.shape(0)),
                INVALID_ARGUMENT,
                "the default %s does not fit the shape %s",
                c.shape(0),
                shape);
        return List.of(c.input(0).withShape(shape));
    }

    /** What is fed may differ from the default, so it is never folded. */
    @Override
    public int view() {
        return 0;
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
