package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Throws all tuples away. */
@Signature(
        "StageClear() -> () {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"} stateful")
public record StageClear(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c ->
                StagingArea.of(c, container, sharedName, capacity, memoryLimit).clear();
    }
}
