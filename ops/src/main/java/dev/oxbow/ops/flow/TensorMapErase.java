package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** The map without an entry. */
@Signature(
        "TensorMapErase(input_handle: variant, key: key_dtype) -> (output_handle: variant) {key_dtype: type; value_dtype: type}")
public record TensorMapErase(DType valueDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> TensorMap.of(c, 0).without(c.input(1)).give(c);
    }

    /** The gradient, for what was left. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(g.gradient(0), null);
    }
}
