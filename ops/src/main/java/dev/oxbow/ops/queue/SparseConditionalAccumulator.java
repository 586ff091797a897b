package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Sums up sparse gradients until so many have come as somebody asks for. */
@Signature(
        "SparseConditionalAccumulator() -> (handle: ref string) {dtype: type in [NUMBER]; shape: shape; container: string = \"\"; shared_name: string = \"\"; reduction_type: string in [\"MEAN\" \"SUM\"] = \"MEAN\"} stateful")
public record SparseConditionalAccumulator(
        DType dtype, Shape shape, String container, String sharedName, String reductionType)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Queues.handle(c.outputDtype(0) == DType.STRING, List.of(new TensorType(dtype, shape))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = sharedName.isEmpty() ? c.node() : sharedName;
            SparseAccumulator a = c.containers()
                    .lookupOrCreate(
                            container,
                            name,
                            SparseAccumulator.class,
                            () -> new SparseAccumulator(name, dtype, shape, reductionType));
            require(
                    a.dtype == dtype && a.shape.equals(shape),
                    INVALID_ARGUMENT,
                    "Shared conditional accumulator '%s' is %s%s, requested was %s%s",
                    name,
                    a.dtype,
                    a.shape,
                    dtype,
                    shape);
            c.set(0, ResourceHandle.tensor(container, name, a, List.of()));
        };
    }
}
