package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import java.util.List;

/** The input itself, of which asking the gradient is an error. */
@Signature("PreventGradient(input: T) -> (output: T) {T: type; message: string = \"\"}")
public record PreventGradient(String message) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
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

    /** An error. */
    @Override
    public List<Value> gradient(GradientContext g) {
        throw new OxbowException(UNIMPLEMENTED, "Gradient explicitly disabled. Reason: " + message);
    }
}
