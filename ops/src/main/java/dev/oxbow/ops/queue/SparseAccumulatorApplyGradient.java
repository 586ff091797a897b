package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Adds a sparse gradient that was computed at a local step, unless it is too old. */
@Signature(
        "SparseAccumulatorApplyGradient(handle: ref string, local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64) -> () {dtype: type in [NUMBER]; has_known_shape: bool}")
public record SparseAccumulatorApplyGradient(boolean hasKnownShape) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> ResourceHandle.resource(c.input(0), SparseAccumulator.class)
                .apply(c, c.input(1).getLong(0), c.input(2), c.input(3), c.input(4), hasKnownShape);
    }
}
