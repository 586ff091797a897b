package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The number of tuples that are put down. */
@Signature(
        "StageSize() -> (size: int32) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"} stateful")
public record StageSize(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0)
                .setLong(
                        0,
                        StagingArea.of(c, container, sharedName, capacity, memoryLimit)
                                .size());
    }
}
