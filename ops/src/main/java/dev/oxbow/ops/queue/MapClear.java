package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Throws all tuples away. */
@Signature(
        "MapClear() -> () {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"} stateful")
public record MapClear(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements StagingMaps.Clear {}
