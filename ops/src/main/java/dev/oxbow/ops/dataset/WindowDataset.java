package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Windows over the elements: a data set for each component. */
@Signature("WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) ->"
        + " (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string ="
        + " \"\"}")
public record WindowDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Windows.of(
                Dataset.input(c, 0),
                DatasetOp.number(c, 1, "size"),
                DatasetOp.number(c, 2, "shift"),
                DatasetOp.number(c, 3, "stride"),
                DatasetOp.flag(c, 4, "drop_remainder"));
    }
}
