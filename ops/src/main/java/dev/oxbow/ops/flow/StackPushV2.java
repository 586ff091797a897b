package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Puts a value on a stack, and gives it on. */
@Signature("StackPushV2(handle: resource, elem: T) -> (output: T) {T: type; swap_memory: bool = false} stateful")
public record StackPushV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(1));
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
        return c -> {
            StepResources.of(c, 0, StackResource.class).push(c.keep(1));
            c.forward(0, 1);
        };
    }
}
