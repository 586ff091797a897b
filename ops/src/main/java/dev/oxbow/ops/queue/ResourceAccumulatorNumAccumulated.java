package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The number of gradients that were summed up. */
@Signature("ResourceAccumulatorNumAccumulated(handle: resource) -> (num_accumulated: int32) stateful")
public record ResourceAccumulatorNumAccumulated() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0)
                .setLong(
                        0,
                        ResourceHandle.resource(c.input(0), Accumulator.class).count());
    }
}
