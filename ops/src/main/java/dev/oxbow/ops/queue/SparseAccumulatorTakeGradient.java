package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Waits for so many sparse gradients, gives their mean or sum, and begins the next step. */
@Signature(
        "SparseAccumulatorTakeGradient(handle: ref string, num_required: int32) -> (indices: int64, values: dtype, shape: int64) {dtype: type in [NUMBER]}")
public record SparseAccumulatorTakeGradient(DType dtype) implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of(
                new TensorType(DType.I64, Shape.of(-1)), TensorType.of(dtype), new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long n = c.input(1).getLong(0);
            require(n > 0, INVALID_ARGUMENT, "Argument num_required must be positive, got %d", n);
            ResourceHandle.resource(c.input(0), SparseAccumulator.class).take(c, (int) n, dtype);
        };
    }
}
