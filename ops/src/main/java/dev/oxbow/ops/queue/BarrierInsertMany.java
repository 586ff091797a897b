package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gives one component to the elements with the given keys. */
@Signature("BarrierInsertMany(handle: ref string, keys: string, values: T) -> () {T: type; component_index: int}")
public record BarrierInsertMany(int componentIndex) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            BarrierState b = ResourceHandle.resource(c.input(0), BarrierState.class);
            Tensor keys = c.input(1), values = c.input(2);
            var kind = b.declared();
            require(
                    componentIndex >= 0 && componentIndex < kind.types().size(),
                    INVALID_ARGUMENT,
                    "The component ID is out of range %d > num_components (= %d)",
                    componentIndex,
                    kind.types().size());
            require(
                    kind.types().get(componentIndex) == values.dtype(),
                    INVALID_ARGUMENT,
                    "component %d is %s, the values are %s",
                    componentIndex,
                    kind.types().get(componentIndex),
                    values.dtype());
            require(
                    keys.shape().rank() == 1
                            && values.shape().rank() >= 1
                            && values.shape().dim(0) == keys.shape().dim(0),
                    INVALID_ARGUMENT,
                    "keys must be a vector with one key for each row of values, got %s and %s",
                    keys.shape(),
                    values.shape());
            Shape row = values.shape().slice(1, values.shape().rank());
            require(
                    values.size() > 0 || keys.size() == 0,
                    INVALID_ARGUMENT,
                    "Tensors with no elements are not supported: received shape %s",
                    values.shape());
            require(
                    kind.shapes().isEmpty() || kind.shapes().get(componentIndex).isCompatibleWith(row),
                    INVALID_ARGUMENT,
                    "Shape mismatch in component %d. Expected %s, got %s",
                    componentIndex,
                    kind.shapes().isEmpty() ? null : kind.shapes().get(componentIndex),
                    row);
            b.insert(c, keys, values, componentIndex);
        };
    }
}
