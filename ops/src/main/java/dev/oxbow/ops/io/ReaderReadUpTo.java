package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** The next records of a reader, all of one file, and their keys. */
@Signature(
        "ReaderReadUpTo(reader_handle: ref string, queue_handle: ref string, num_records: int64) -> (keys: string, values: string)")
public record ReaderReadUpTo() implements Readers.ReadUpTo {}
