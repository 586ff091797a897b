package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of whole files. */
@Signature(
        "WholeFileReader() -> (reader_handle: ref string) {container: string = \"\"; shared_name: string = \"\"} stateful")
public record WholeFileReader(String container, String sharedName) implements Readers.Whole {}
