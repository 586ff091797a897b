package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Whether a key has a value. */
@Signature("TensorMapHasKey(input_handle: variant, key: key_dtype) -> (has_key: bool) {key_dtype: type}")
public record TensorMapHasKey() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).set(0, TensorMap.of(c, 0).get(c.input(1)) == null ? 0 : 1);
    }
}
