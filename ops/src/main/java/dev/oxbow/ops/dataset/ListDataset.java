package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Tensors, so many of which are an element each. */
@Signature("ListDataset(tensors: Tinput_types) -> (handle: variant) {Tinput_types: list(type) >= 1; output_types:"
        + " list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record ListDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        List<Tensor> all = DatasetOp.kept(c, 0, c.inputCount());
        int width = outputTypes.size();
        return Counting.of(
                all,
                all.size() / width,
                i -> all.subList((int) i * width, (int) (i + 1) * width).stream()
                        .map(Tensor::retain)
                        .toList());
    }
}
