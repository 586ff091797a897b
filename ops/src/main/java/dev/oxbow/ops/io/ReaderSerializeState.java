package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Where a reader is. */
@Signature("ReaderSerializeState(reader_handle: ref string) -> (state: string)")
public record ReaderSerializeState() implements Readers.State {}
