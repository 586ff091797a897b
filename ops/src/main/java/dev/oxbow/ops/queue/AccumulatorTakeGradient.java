package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

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

/** Waits for so many gradients, gives their mean or sum, and begins the next step. */
@Signature(
        "AccumulatorTakeGradient(handle: ref string, num_required: int32) -> (average: dtype) {dtype: type in [NUMBER]}")
public record AccumulatorTakeGradient(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        List<TensorType> behind = c.input(0).behind();
        return List.of(new TensorType(
                dtype, behind.isEmpty() ? Shape.UNKNOWN : behind.get(0).shape()));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long n = c.input(1).getLong(0);
            require(n > 0, INVALID_ARGUMENT, "Argument num_required must be positive, got %d", n);
            ResourceHandle.resource(c.input(0), DenseAccumulator.class).take(c, (int) n, dtype);
        };
    }
}
