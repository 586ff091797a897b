package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Whether an optional holds values. */
@Signature("OptionalHasValue(optional: variant) -> (has_value: bool)")
public record OptionalHasValue() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, Optional.of(c, 0).components() == null ? 0 : 1);
    }
}
