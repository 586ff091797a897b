package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** A value that is part of the graph. Two constants are equal when they hold the same tensor. */
@Signature("Const() -> (output: dtype) {value: tensor; dtype: type}")
public record Const(Tensor value) implements CoreOp {

    /** Holds the elements by itself: whoever gave {@code value} may close it. */
    public Const {
        value = value.reshaped(value.shape());
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(value));
    }

    @Override
    public Map<String, Object> attributes() {
        return Map.of("value", value, "dtype", value.dtype());
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> c.set(0, value.retain());
    }

    @Override
    public String toString() {
        return "Const[value=" + value.describe() + "]";
    }
}
