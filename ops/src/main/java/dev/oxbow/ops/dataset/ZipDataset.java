package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Elements of several data sets side by side, up to the end of the shortest. */
@Signature(
        "ZipDataset(input_datasets: N*variant) -> (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = \"\"}")
public record ZipDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        List<Dataset> all = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) all.add(Dataset.input(c, i));
        return Walks.zip(all);
    }
}
