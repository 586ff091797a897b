package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gives a variable a value: {@code v = value}. */
@Signature(
        "AssignVariableOp(resource: resource, value: dtype) -> () {dtype: type; validate_shape: bool = false} stateful")
public record AssignVariableOp(boolean validateShape) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        TensorType v = Variables.type(c, 0, c.dtype(1));
        require(
                v.shape().isCompatibleWith(c.shape(1)),
                INVALID_ARGUMENT,
                "Shapes must be equal, but are %s and %s",
                v.shape(),
                c.shape(1));
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Variable v = Variables.of(c, 0);
            require(
                    v.dtype() == c.input(1).dtype(),
                    INVALID_ARGUMENT,
                    "Trying to assign variable with wrong dtype. Expected %s got %s",
                    v.dtype(),
                    c.input(1).dtype());
            if (validateShape) {
                Shape shape = v.valueShape();
                require(
                        shape.isCompatibleWith(c.input(1).shape()),
                        INVALID_ARGUMENT,
                        "Trying to assign to variable with tensor with wrong shape. Expected %s got %s",
                        shape,
                        c.input(1).shape());
            }
            v.assign(c.keep(1));
        };
    }
}
