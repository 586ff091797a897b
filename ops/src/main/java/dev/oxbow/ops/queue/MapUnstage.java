package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Picks components of the tuple under a key up, once it is complete. */
@Signature(
        "MapUnstage(key: int64, indices: int32) -> (values: dtypes) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record MapUnstage(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements StagingMaps.Unstage {}
