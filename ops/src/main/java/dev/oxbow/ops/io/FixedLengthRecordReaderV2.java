package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of records of one length. */
@Signature(
        "FixedLengthRecordReaderV2() -> (reader_handle: resource) {header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = \"\"; shared_name: string = \"\"; encoding: string = \"\"} stateful")
public record FixedLengthRecordReaderV2(
        int headerBytes,
        int recordBytes,
        int footerBytes,
        int hopBytes,
        String container,
        String sharedName,
        String encoding)
        implements Readers.Fixed {}
