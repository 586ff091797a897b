package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Writes a value, broadcast, into a strided slice of a variable. */
@Signature(
        "ResourceStridedSliceAssign(ref: resource, begin: Index, end: Index, strides: Index, value: T) -> () {T: type; Index: type in [INT32 INT64]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0} stateful")
public record ResourceStridedSliceAssign(
        int beginMask, int endMask, int ellipsisMask, int newAxisMask, int shrinkAxisMask)
        implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        var masks = new StridedSpec.Masks(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        return c -> {
            Tensor value = c.input(4);
            ResourceHandle.resource(c.input(0), Variable.class).update(c.memory(), t -> {
                require(
                        t.dtype() == value.dtype(),
                        INVALID_ARGUMENT,
                        "the variable is %s, the value is %s",
                        t.dtype(),
                        value.dtype());
                StridedSpec.of(t.shape(), c.input(1), c.input(2), c.input(3), masks)
                        .assign(value, t, c.parallel());
            });
        };
    }
}
