package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The last value of a temporary variable, which is deleted. */
@Signature("DestroyTemporaryVariable(ref: ref T) -> (value: T) {T: type; var_name: string}")
public record DestroyTemporaryVariable(String varName) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor value = Variables.of(c, 0).read();
            c.set(0, value);
            boolean found = c.stepContainers()
                    .delete("", TemporaryVariable.key(varName, c.frameAndIteration()), Variable.class);
            require(found, NOT_FOUND, "no variable %s", varName);
        };
    }
}
