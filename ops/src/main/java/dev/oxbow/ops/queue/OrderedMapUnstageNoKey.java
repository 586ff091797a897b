package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Picks any complete tuple up, that with the smallest key, once there is one. */
@Signature(
        "OrderedMapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record OrderedMapUnstageNoKey(
        long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements StagingMaps.UnstageNoKey {

    @Override
    public boolean isOrdered() {
        return true;
    }
}
