package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.io.FileRecords;
import java.util.List;

/** The records of TensorFlow's record files, each from a byte on. */
@Signature(
        "TFRecordDatasetV2(filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64) -> (handle: variant) {metadata: string = \"\"} stateful")
public record TFRecordDatasetV2(String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        String compression = FileElements.compression(c, 1);
        FileElements.checkBuffer(c, 2);
        List<String> files = FileElements.names(c);
        long[] from = Arguments.longs(c.input(3));
        require(
                from.length == 0 || from.length == files.size(),
                INVALID_ARGUMENT,
                "`byte_offsets` must be of same size as `filenames`, got %d and %d",
                from.length,
                files.size());
        for (long f : from) require(f >= 0, INVALID_ARGUMENT, "`byte_offsets` must be >= 0, got %d", f);
        return FileElements.of(
                files, (file, i) -> FileRecords.frames(file, compression, from.length == 0 ? 0 : from[i]));
    }
}
