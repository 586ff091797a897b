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

/** The handle of a variable with a name in a container; the variable has no value until it is assigned. */
@Signature(
        "VarHandleOp() -> (resource: resource) {container: string = \"\"; shared_name: string = \"\"; debug_name: string = \"\"; dtype: type; shape: shape; allowed_devices: list(string) = []} stateful")
public record VarHandleOp(
        String container, String sharedName, String debugName, DType dtype, Shape shape, List<String> allowedDevices)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE, new TensorType(dtype, shape)));
    }

    @Override
    public Kernel cpu() {
        return c -> Variables.handle(c, container, sharedName, dtype, shape);
    }
}
