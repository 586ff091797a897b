package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of lines. */
@Signature(
        "TextLineReaderV2() -> (reader_handle: resource) {skip_header_lines: int = 0; container: string = \"\"; shared_name: string = \"\"} stateful")
public record TextLineReaderV2(int skipHeaderLines, String container, String sharedName) implements Readers.Lines {}
