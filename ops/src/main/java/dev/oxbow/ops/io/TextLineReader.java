package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of lines. */
@Signature(
        "TextLineReader() -> (reader_handle: ref string) {skip_header_lines: int = 0; container: string = \"\"; shared_name: string = \"\"} stateful")
public record TextLineReader(int skipHeaderLines, String container, String sharedName) implements Readers.Lines {}
