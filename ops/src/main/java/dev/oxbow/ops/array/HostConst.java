package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** A constant in the host's memory. */
@Signature("HostConst() -> (output: dtype) {value: tensor; dtype: type}")
public record HostConst(Tensor value) implements NotDifferentiable, Supplying {

    /** Holds the elements by itself: whoever gave {@code value} may close it. */
    public HostConst {
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
    public Kernel cpu() {
        return c -> c.set(0, value.retain());
    }

    @Override
    public String toString() {
        return "HostConst[value=" + value.describe() + "]";
    }
}
