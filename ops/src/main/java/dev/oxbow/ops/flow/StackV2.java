package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import java.util.List;

/** A new stack, for the length of the step. */
@Signature("StackV2(max_size: int32) -> (handle: resource) {elem_type: type; stack_name: string = \"\"} stateful")
public record StackV2(DType elemType, String stackName) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = StepResources.unique(c, stackName);
            StackResource s = new StackResource(name, elemType, Lists.scalar(c, 0));
            c.stepContainers().create("", name, s);
            StepResources.give(c, 0, DType.RESOURCE, false, name, s);
        };
    }
}
