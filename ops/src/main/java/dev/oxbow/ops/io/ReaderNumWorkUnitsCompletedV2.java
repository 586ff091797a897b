package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** How many files a reader has read to their end. */
@Signature("ReaderNumWorkUnitsCompletedV2(reader_handle: resource) -> (units_completed: int64) stateful")
public record ReaderNumWorkUnitsCompletedV2() implements Readers.Completed {}
