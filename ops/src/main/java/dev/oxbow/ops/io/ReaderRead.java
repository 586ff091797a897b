package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** The next record of a reader and its key. */
@Signature("ReaderRead(reader_handle: ref string, queue_handle: ref string) -> (key: string, value: string)")
public record ReaderRead() implements Readers.Read {}
