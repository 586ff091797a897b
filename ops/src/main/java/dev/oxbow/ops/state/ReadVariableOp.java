package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The value of a variable: {@code y = v}. */
@Signature("ReadVariableOp(resource: resource) -> (value: dtype) {dtype: type} stateful")
public record ReadVariableOp(DType dtype) implements Differentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Variables.type(c, 0, dtype));
    }

    @Override
    public Kernel cpu() {
        return c -> c.set(0, Variables.read(c, 0, FAILED_PRECONDITION));
    }

    /** {@code dv = dy}: the handle stands for the value. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0));
    }
}
