package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** How many records a reader gave. */
@Signature("ReaderNumRecordsProduced(reader_handle: ref string) -> (records_produced: int64)")
public record ReaderNumRecordsProduced() implements Readers.Produced {}
