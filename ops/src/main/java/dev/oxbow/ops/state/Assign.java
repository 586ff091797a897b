package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gives a referenced variable a value: {@code ref = value}. */
@Signature(
        "Assign(ref: ref T, value: T) -> (output_ref: ref T) {T: type; validate_shape: bool = true; use_locking: bool = true}")
public record Assign(boolean validateShape) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        if (!validateShape) return List.of(TensorType.ref(c.dtype(1), c.shape(1)));
        Shape both = c.shape(0).merge(c.shape(1));
        require(
                both != null,
                INVALID_ARGUMENT,
                "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
                c.shape(0),
                c.shape(1));
        return List.of(TensorType.ref(c.dtype(1), both));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Variable v = Variables.of(c, 0);
            if (validateShape) {
                Shape shape = v.valueShape();
                require(
                        shape.isCompatibleWith(c.input(1).shape()),
                        INVALID_ARGUMENT,
                        "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
                        shape,
                        c.input(1).shape());
            }
            v.assign(c.keep(1));
            c.forward(0, 0);
        };
    }
}
