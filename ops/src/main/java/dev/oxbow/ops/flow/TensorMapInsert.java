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

/** The map with an entry more, or another value of one. */
@Signature(
        "TensorMapInsert(input_handle: variant, key: key_dtype, value: value_dtype) -> (output_handle: variant) {key_dtype: type; value_dtype: type}")
public record TensorMapInsert() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> TensorMap.of(c, 0).with(c.keep(1), c.keep(2)).give(c);
    }

    /** The gradient without the entry, and of its value what the gradient has there. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value d = g.gradient(0), key = g.input(1), value = g.input(2);
        DType type = value.dtype();
        Value there = Value.apply(new TensorMapLookup(type), d, key);
        return Arrays.asList(Value.apply(new TensorMapErase(type), d, key), null, there);
    }
}
