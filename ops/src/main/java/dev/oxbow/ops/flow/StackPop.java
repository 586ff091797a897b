package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes the last value off a stack. */
@Signature("StackPop(handle: ref string) -> (elem: elem_type) {elem_type: type}")
public record StackPop(DType elemType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(elemType));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> c.set(0, StepResources.of(c, 0, StackResource.class).pop(elemType));
    }
}
