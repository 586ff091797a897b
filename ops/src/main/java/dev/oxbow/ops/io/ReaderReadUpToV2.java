package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** The next records of a reader, all of one file, and their keys. */
@Signature(
        "ReaderReadUpToV2(reader_handle: resource, queue_handle: resource, num_records: int64) -> (keys: string, values: string) stateful")
public record ReaderReadUpToV2() implements Readers.ReadUpTo {}
