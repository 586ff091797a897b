package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Elements at regular steps along each dimension, as Python's {@code x[begin:end:stride]}. */
@Signature(
        "StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T) {T: type; Index: type in [INT16 INT32 INT64]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0}")
public record StridedSlice(int beginMask, int endMask, int ellipsisMask, int newAxisMask, int shrinkAxisMask)
        implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(StridedSpec.infer(c, c.shape(0), masks(), 1)));
    }

    private StridedSpec.Masks masks() {
        return new StridedSpec.Masks(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
    }

    @Override
    public Kernel cpu() {
        StridedSpec.Masks masks = masks();
        return c -> {
            Tensor x = c.input(0);
            StridedSpec s = StridedSpec.of(x.shape(), c.input(1), c.input(2), c.input(3), masks);
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, s.result());
            if (y.size() > 0) dev.oxbow.kernels.move.Slice.read(x, s.begin(), s.stride(), s.size(), y, c.parallel());
        };
    }

    /** {@code dx} = zeros with dy in the slice. */
    @Override
    public List<Value> gradient(GradientContext g) {
        DType index = g.node().input(1).type().dtype() == DType.I64 ? DType.I64 : DType.I32;
        Value shape = Value.apply(new Shape(index), g.input(0));
        Op op = new StridedSliceGrad(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        Value dx = Value.apply(
                op,
                shape,
                g.input(1).cast(index),
                g.input(2).cast(index),
                g.input(3).cast(index),
                g.gradient(0));
        return Arrays.asList(dx, null, null, null);
    }
}
