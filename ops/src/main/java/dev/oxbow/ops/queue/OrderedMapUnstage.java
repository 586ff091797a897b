package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Picks components of the tuple under a key up, once it is complete. */
@Signature(
        "OrderedMapUnstage(key: int64, indices: int32) -> (values: dtypes) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record OrderedMapUnstage(
        long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return dtypes.stream().map(TensorType::of).toList();
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
        return c -> StagingMap.of(c, container, sharedName, true, dtypes.size(), capacity, memoryLimit)
                .get(c, dtypes, true);
    }
}
