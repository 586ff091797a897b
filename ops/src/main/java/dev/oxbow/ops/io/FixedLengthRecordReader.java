package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of records of one length. */
@Signature(
        "FixedLengthRecordReader() -> (reader_handle: ref string) {header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = \"\"; shared_name: string = \"\"} stateful")
public record FixedLengthRecordReader(
        int headerBytes, int recordBytes, int footerBytes, int hopBytes, String container, String sharedName)
        implements Readers.Fixed {}
