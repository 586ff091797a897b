package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** One element. */
@Signature(
        "TensorDataset(components: Toutput_types) -> (handle: variant) {Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record TensorDataset(List<Shape> outputShapes, String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        List<Tensor> element = DatasetOp.kept(c, 0, c.inputCount());
        return Counting.of(element, 1, i -> element.stream().map(Tensor::retain).toList());
    }
}
