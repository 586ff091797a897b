package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The number of complete tuples that are put down. */
@Signature(
        "MapSize() -> (size: int32) {capacity: int = 0 >= 0; memory_limit: int = 0 >= 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"} stateful")
public record MapSize(long capacity, long memoryLimit, List<DType> dtypes, String container, String sharedName)
        implements StagingMaps.Size {}
