package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Putting;
import java.util.List;

/** Puts a tuple down, once there is room. */
@Signature(
        "Stage(values: dtypes) -> () {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record Stage(long capacity, long memoryLimit, String container, String sharedName)
        implements NotDifferentiable, Putting {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c ->
                StagingArea.of(c, container, sharedName, capacity, memoryLimit).put(c);
    }
}
