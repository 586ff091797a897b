package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** The next record of a reader and its key. */
@Signature("ReaderReadV2(reader_handle: resource, queue_handle: resource) -> (key: string, value: string) stateful")
public record ReaderReadV2() implements Readers.Read {}
