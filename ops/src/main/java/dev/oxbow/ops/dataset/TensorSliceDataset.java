package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The rows of tensors. */
@Signature(
        "TensorSliceDataset(components: Toutput_types) -> (handle: variant) {Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; is_files: bool = false; metadata: string = \"\"; replicate_on_split: bool = false} stateful")
public record TensorSliceDataset(List<Shape> outputShapes, boolean isFiles, String metadata, boolean replicateOnSplit)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        for (int i = 0; i < c.inputCount(); i++)
            require(
                    c.input(i).shape().rank() > 0
                            && c.input(i).shape().dim(0) == c.input(0).shape().dim(0),
                    INVALID_ARGUMENT,
                    "All components must have the same size in the 0th dimension, got %s and %s",
                    c.input(0).shape(),
                    c.input(i).shape());
        List<Tensor> rows = DatasetOp.kept(c, 0, c.inputCount());
        return Counting.of(rows, rows.getFirst().shape().dim(0), i -> Pieces.rows(rows, i));
    }
}
