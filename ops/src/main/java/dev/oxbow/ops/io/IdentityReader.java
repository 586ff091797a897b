package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader that gives what the queue holds. */
@Signature(
        "IdentityReader() -> (reader_handle: ref string) {container: string = \"\"; shared_name: string = \"\"} stateful")
public record IdentityReader(String container, String sharedName) implements Readers.Names {}
