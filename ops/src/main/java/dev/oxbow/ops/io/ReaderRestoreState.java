package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Puts a reader where it was. */
@Signature("ReaderRestoreState(reader_handle: ref string, state: string) -> ()")
public record ReaderRestoreState() implements Readers.Restore {}
