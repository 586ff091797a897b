package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Looks at the tuple at a position, once it is there. */
@Signature(
        "StagePeek(index: int32) -> (values: dtypes) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record StagePeek(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return dtypes.stream().map(TensorType::of).toList();
    }

    @Override
    public Kernel cpu() {
        return c -> StagingArea.of(c, container, sharedName, capacity, memoryLimit)
                .peek(c, c.input(0).getLong(0), dtypes);
    }
}
