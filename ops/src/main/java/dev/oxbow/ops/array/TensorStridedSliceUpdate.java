package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The input with a strided slice replaced. */
@Signature(
        "TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T) -> (output: T) {T: type; Index: type in [INT32 INT64]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0}")
public record TensorStridedSliceUpdate(
        int beginMask, int endMask, int ellipsisMask, int newAxisMask, int shrinkAxisMask) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        var masks = new StridedSpec.Masks(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Fills.copy(x, y, c.parallel());
            StridedSpec.of(x.shape(), c.input(1), c.input(2), c.input(3), masks).assign(c.input(4), y, c.parallel());
        };
    }

    /** {@code dx} = dy with zeros in the slice; {@code dvalue} = the slice of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), value = g.input(4), begin = g.input(1), end = g.input(2), stride = g.input(3);
        Op read = new StridedSlice(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        Value slice = Value.apply(read, dy, begin, end, stride);
        Value dx = Value.apply(this, dy, begin, end, stride, Value.apply(new ZerosLike(), slice));
        Value dvalue = Broadcasting.reduce(value, slice, slice, null).get(0);
        return Arrays.asList(dx, null, null, null, dvalue);
    }
}
