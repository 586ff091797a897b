package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The number of entries. */
@Signature("TensorMapSize(input_handle: variant) -> (size: int32)")
public record TensorMapSize() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, TensorMap.of(c, 0).size());
    }
}
