package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Puts components of a tuple down under a key, once there is room. */
@Signature(
        "OrderedMapStage(key: int64, indices: int32, values: fake_dtypes) -> () {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type); fake_dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record OrderedMapStage(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements StagingMaps.Stage {

    @Override
    public boolean isOrdered() {
        return true;
    }
}
