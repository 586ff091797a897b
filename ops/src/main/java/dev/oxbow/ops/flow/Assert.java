package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Fails the step when the condition does not hold, and says what the data is. */
@Signature("Assert(condition: bool, data: T) -> () {T: list(type) >= 1; summarize: int = 3} stateful")
public record Assert(int summarize) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor condition = c.input(0);
            require(condition.shape().isScalar(), INVALID_ARGUMENT, "In[0] should be a scalar: %s", condition.shape());
            if (condition.getLong(0) != 0) return;
            StringBuilder text = new StringBuilder("assertion failed: ");
            for (int i = 1; i < c.inputCount(); i++)
                text.append(Printing.summary(c.input(i), summarize)).append(' ');
            throw new OxbowException(INVALID_ARGUMENT, text.toString().trim());
        };
    }
}
