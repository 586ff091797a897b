package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of TensorFlow's record files. */
@Signature(
        "TFRecordReaderV2() -> (reader_handle: resource) {container: string = \"\"; shared_name: string = \"\"; compression_type: string = \"\"} stateful")
public record TFRecordReaderV2(String container, String sharedName, String compressionType) implements Readers.Frames {}
