package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** An element of the data set that another one names, each time. */
@Signature("DirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N*variant) -> (handle:"
        + " variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1;"
        + " stop_on_empty_dataset: bool = false}")
public record DirectedInterleaveDataset(List<DType> outputTypes, List<Shape> outputShapes, boolean stopOnEmptyDataset)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        List<Dataset> all = new ArrayList<>();
        for (int i = 1; i < c.inputCount(); i++) all.add(Dataset.input(c, i));
        return Choosing.directed(Dataset.input(c, 0), all, stopOnEmptyDataset);
    }
}
