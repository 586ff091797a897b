package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Whole numbers of 32 bits without end. */
@Signature(
        "RandomDataset(seed: int64, seed2: int64) -> (handle: variant) {output_types: list(type) >= 1; output_shapes:"
                + " list(shape) >= 1; metadata: string = \"\"} stateful")
public record RandomDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Draws.numbers(Seeds.of(DatasetOp.number(c, 0, "seed"), DatasetOp.number(c, 1, "seed2"), false));
    }
}
