package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The value of a key. */
@Signature(
        "TensorMapLookup(input_handle: variant, key: key_dtype) -> (value: value_dtype) {key_dtype: type; value_dtype: type}")
public record TensorMapLookup(DType valueDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(valueDtype));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor found = TensorMap.of(c, 0).get(c.input(1));
            require(found != null, INVALID_ARGUMENT, "Trying to lookup non-existent key.");
            require(
                    found.dtype() == valueDtype,
                    INVALID_ARGUMENT,
                    "the value is %s, wanted %s",
                    found.dtype(),
                    valueDtype);
            c.set(0, found.retain());
        };
    }

    /** A map with the gradient under the key alone. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value none = g.input(0).ops().add(new EmptyTensorMap()).get(0);
        return Arrays.asList(Value.apply(new TensorMapInsert(), none, g.input(1), g.gradient(0)), null);
    }
}
