package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Updating;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Adds to a variable: {@code v = v + value}. */
@Signature("AssignAddVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful")
public record AssignAddVariableOp() implements NotDifferentiable, Changing, Updating {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Accumulation.check(Variables.type(c, 0, c.dtype(1)).shape(), c.shape(1));
        return List.of();
    }

    @Override
    public int variables() {
        return 1;
    }

    @Override
    public List<Expr> updates(List<Expr> inputs) {
        return List.of(inputs.get(0).plus(inputs.get(1)));
    }

    @Override
    public void checkShapes(Shape[] shapes) {
        Accumulation.check(shapes[0], shapes[1]);
    }

    @Override
    public Kernel cpu() {
        return c -> Accumulation.run(c, Variables.existing(c, 0), false);
    }
}
