package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.io.FileRecords;
import dev.oxbow.ops.io.FixedLength;

/** Records of one length. */
@Signature(
        "FixedLengthRecordDatasetV2(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, compression_type: string) -> (handle: variant) {metadata: string = \"\"} stateful")
public record FixedLengthRecordDatasetV2(String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return of(c, FileElements.compression(c, 5));
    }

    /** The records of plain files, which must be whole, or of compressed ones. */
    static Dataset of(KernelContext c, String compression) {
        FixedLength layout = new FixedLength(
                DatasetOp.number(c, 1, "header_bytes"),
                DatasetOp.number(c, 2, "record_bytes"),
                DatasetOp.number(c, 3, "footer_bytes"),
                0);
        FileElements.checkBuffer(c, 4);
        return FileElements.of(FileElements.names(c), (file, _) -> {
            if (compression.isEmpty()) layout.checkWhole(file);
            return FileRecords.fixed(file, compression, layout);
        });
    }
}
