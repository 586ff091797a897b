package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** All keys, which must have one shape, along a new first dimension. */
@Signature("TensorMapStackKeys(input_handle: variant) -> (keys: key_dtype) {key_dtype: type}")
public record TensorMapStackKeys(DType keyDtype) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(keyDtype));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Tensor> keys = TensorMap.of(c, 0).keys();
            require(!keys.isEmpty(), INVALID_ARGUMENT, "TensorMapStackKeys cannot be called on empty map.");
            for (Tensor k : keys)
                require(
                        k.dtype() == keyDtype && k.shape().equals(keys.get(0).shape()),
                        INVALID_ARGUMENT,
                        "Key does not match requested dtype or shape: %s, %s",
                        k.describe(),
                        keyDtype);
            Tensor y = c.allocate(0, Shape.of(keys.size()).concat(keys.get(0).shape()));
            Concat.pack(keys, 0, y, c.parallel());
        };
    }
}
