package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** So many elements as rows that are padded to a shape. */
@Signature(
        "PaddedBatchDatasetV2(input_dataset: variant, batch_size: int64, padded_shapes: N*int64, padding_values: Toutput_types, drop_remainder: bool) -> (handle: variant) {parallel_copy: bool = false; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = \"\"}")
public record PaddedBatchDatasetV2(
        boolean parallelCopy,
        List<Shape> outputShapes,
        @Attr("N") long count,
        String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Padding.batch(c, (int) count, DatasetOp.flag(c, c.inputCount() - 1, "drop_remainder"));
    }
}
