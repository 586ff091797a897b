package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Some elements, each by chance. */
@Signature("SamplingDataset(input_dataset: variant, rate: float, seed: int64, seed2: int64) -> (handle: variant)"
        + " {output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record SamplingDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Draws.sampled(
                Dataset.input(c, 0),
                c.input(1).getDouble(0),
                DatasetOp.number(c, 2, "seed"),
                DatasetOp.number(c, 3, "seed2"));
    }
}
