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
import java.util.ArrayList;
import java.util.List;

/** Takes complete elements, stacked, with their indices and keys. */
@Signature(
        "BarrierTakeMany(handle: ref string, num_elements: int32) -> (indices: int64, keys: string, values: component_types) {component_types: list(type) >= 1; allow_small_batch: bool = false; wait_for_incomplete: bool = false; timeout_ms: int = -1}")
public record BarrierTakeMany(
        List<DType> componentTypes, boolean allowSmallBatch, boolean waitForIncomplete, int timeoutMs)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        List<TensorType> out = new ArrayList<>();
        Shape n = Shape.of(-1);
        out.add(new TensorType(DType.I64, n));
        out.add(new TensorType(DType.STRING, n));
        for (DType d : componentTypes) out.add(TensorType.of(d));
        return out;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            BarrierState b = ResourceHandle.resource(c.input(0), BarrierState.class);
            long n = c.input(1).getLong(0);
            require(
                    b.declared().types().equals(componentTypes),
                    INVALID_ARGUMENT,
                    "the barrier holds %s, wanted %s",
                    b.declared().types(),
                    componentTypes);
            require(n >= 0, INVALID_ARGUMENT, "num_elements must be >= 0, got %d", n);
            b.take(c, (int) n, allowSmallBatch);
        };
    }
}
