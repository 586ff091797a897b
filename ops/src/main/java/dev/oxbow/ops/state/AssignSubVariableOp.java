package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Subtracts from a variable: {@code v = v - value}. */
@Signature("AssignSubVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful")
public record AssignSubVariableOp() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Accumulation.check(Variables.type(c, 0, c.dtype(1)).shape(), c.shape(1));
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> Accumulation.run(c, Variables.existing(c, 0), true);
    }
}
