package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** Puts a reader where it was. */
@Signature("ReaderRestoreStateV2(reader_handle: resource, state: string) -> () stateful")
public record ReaderRestoreStateV2() implements Readers.Restore {}
