package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader that gives what the queue holds. */
@Signature(
        "IdentityReaderV2() -> (reader_handle: resource) {container: string = \"\"; shared_name: string = \"\"} stateful")
public record IdentityReaderV2(String container, String sharedName) implements Readers.Names {}
