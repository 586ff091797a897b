package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** Records of one length. */
@Signature(
        "FixedLengthRecordDataset(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64) -> (handle: variant) {metadata: string = \"\"} stateful")
public record FixedLengthRecordDataset(String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return FixedLengthRecordDatasetV2.of(c, "");
    }
}
