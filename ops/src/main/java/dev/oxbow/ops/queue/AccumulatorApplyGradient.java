package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Adds a gradient that was computed at a local step, unless it is too old. */
@Signature(
        "AccumulatorApplyGradient(handle: ref string, local_step: int64, gradient: dtype) -> () {dtype: type in [NUMBER]}")
public record AccumulatorApplyGradient() implements NotDifferentiable {

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
        return c -> ResourceHandle.resource(c.input(0), DenseAccumulator.class)
                .apply(c, c.input(1).getLong(0), c.input(2));
    }
}
