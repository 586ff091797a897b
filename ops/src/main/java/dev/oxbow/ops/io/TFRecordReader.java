package dev.oxbow.ops.io;

import dev.oxbow.graph.Signature;

/** A reader of TensorFlow's record files. */
@Signature(
        "TFRecordReader() -> (reader_handle: ref string) {container: string = \"\"; shared_name: string = \"\"; compression_type: string = \"\"} stateful")
public record TFRecordReader(String container, String sharedName, String compressionType) implements Readers.Frames {}
