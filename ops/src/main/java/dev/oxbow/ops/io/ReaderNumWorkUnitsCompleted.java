package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** How many files a reader has read to their end. */
@Signature("ReaderNumWorkUnitsCompleted(reader_handle: ref string) -> (units_completed: int64)")
public record ReaderNumWorkUnitsCompleted() implements Readers.Completed {}
