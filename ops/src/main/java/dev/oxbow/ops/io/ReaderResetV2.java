package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Puts a reader where it began. */
@Signature("ReaderResetV2(reader_handle: resource) -> () stateful")
public record ReaderResetV2() implements Readers.Reset {}
