package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A variable that lives until DestroyTemporaryVariable or the end of the step; it starts with any value. */
@Signature("TemporaryVariable() -> (ref: ref dtype) {shape: shape; dtype: type; var_name: string = \"\"} stateful")
public record TemporaryVariable(Shape shape, DType dtype, String varName) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.ref(dtype, shape));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = varName.isEmpty() ? c.node() : varName;
            boolean[] made = {false};
            Variable v = c.stepContainers().lookupOrCreate("", key(name, c.frameAndIteration()), Variable.class, () -> {
                made[0] = true;
                return new Variable(name, dtype, shape);
            });
            require(made[0], ALREADY_EXISTS, "variable %s exists already", name);
            Tensor t = c.temporary(dtype, shape);
            if (!dtype.isObject()) Memory.zero(t.address(), t.byteSize());
            else Arrays.fill(t.objects(), new byte[0]);
            v.assign(t);
            c.set(0, ResourceHandle.tensor("", name, v, List.of()));
        };
    }

    /** The name of the variable in the step's container: one for each iteration of a loop. */
    static String key(String name, String frameAndIteration) {
        return name + "/" + frameAndIteration;
    }
}
