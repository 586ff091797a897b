package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: here nothing is gained by computing them ahead of a step. */
@Signature(
        "PrefetchDataset(input_dataset: variant, buffer_size: int64) -> (handle: variant) {output_types: list(type) >="
                + " 1; output_shapes: list(shape) >= 1; slack_period: int = 0; legacy_autotune: bool = true;"
                + " buffer_size_min: int = 0; metadata: string = \"\"}")
public record PrefetchDataset(
        List<DType> outputTypes,
        List<Shape> outputShapes,
        long slackPeriod,
        boolean legacyAutotune,
        long bufferSizeMin,
        String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
