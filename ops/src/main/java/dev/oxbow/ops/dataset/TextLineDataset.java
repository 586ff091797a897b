package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.io.FileRecords;

/** The lines of files. */
@Signature(
        "TextLineDataset(filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant) {metadata: string = \"\"} stateful")
public record TextLineDataset(String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        String compression = FileElements.compression(c, 1);
        FileElements.checkBuffer(c, 2);
        return FileElements.of(FileElements.names(c), (file, _) -> FileRecords.lines(file, compression, 0));
    }
}
