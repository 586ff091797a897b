package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of whole files. */
@Signature(
        "WholeFileReaderV2() -> (reader_handle: resource) {container: string = \"\"; shared_name: string = \"\"} stateful")
public record WholeFileReaderV2(String container, String sharedName) implements Readers.Whole {}
