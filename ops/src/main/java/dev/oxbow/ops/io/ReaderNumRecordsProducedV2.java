package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** How many records a reader gave. */
@Signature("ReaderNumRecordsProducedV2(reader_handle: resource) -> (records_produced: int64) stateful")
public record ReaderNumRecordsProducedV2() implements Readers.Produced {}
