package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Puts a reader where it began. */
@Signature("ReaderReset(reader_handle: ref string) -> ()")
public record ReaderReset() implements Readers.Reset {}
