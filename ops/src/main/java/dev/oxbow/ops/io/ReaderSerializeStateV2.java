package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Where a reader is. */
@Signature("ReaderSerializeStateV2(reader_handle: resource) -> (state: string) stateful")
public record ReaderSerializeStateV2() implements Readers.State {}
