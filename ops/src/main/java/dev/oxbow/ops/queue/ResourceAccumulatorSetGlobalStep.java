package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Sets the step below which gradients are too old. */
@Signature("ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64) -> () stateful")
public record ResourceAccumulatorSetGlobalStep() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of();
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return c -> ResourceHandle.resource(c.input(0), Accumulator.class)
                .setStep(c.input(1).getLong(0));
    }
}
