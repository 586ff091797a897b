package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A variable by reference, uninitialised until it is assigned. */
@Signature(
        "VariableV2() -> (ref: ref dtype) {shape: shape; dtype: type; container: string = \"\"; shared_name: string = \"\"} stateful")
public record VariableV2(Shape shape, DType dtype, String container, String sharedName)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.ref(dtype, shape));
    }

    @Override
    public Kernel cpu() {
        return c -> Variables.reference(c, container, sharedName, dtype, shape);
    }
}
