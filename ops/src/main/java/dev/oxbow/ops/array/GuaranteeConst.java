package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The input, which the author promises not to change. */
@Signature("GuaranteeConst(input: T) -> (output: T) {T: type} stateful")
public record GuaranteeConst() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(c.dtype(0) != DType.RESOURCE, INVALID_ARGUMENT, "Input tensor cannot be a resource variable handle.");
        return List.of(c.input(0));
    }

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
