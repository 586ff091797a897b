package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Zeros of a given shape with {@code dy} in a strided slice. */
@Signature(
        "StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T) {T: type; Index: type in [INT32 INT64]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0}")
public record StridedSliceGrad(int beginMask, int endMask, int ellipsisMask, int newAxisMask, int shrinkAxisMask)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("shape", c.shape(0), 1);
        return List.of(c.input(4).withShape(c.shapeValue(0)));
    }

    @Override
    public Kernel cpu() {
        var masks = new StridedSpec.Masks(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        return c -> {
            Tensor dy = c.input(4), y = c.output(0);
            StridedSpec s = StridedSpec.of(y.shape(), c.input(1), c.input(2), c.input(3), masks);
            require(
                    dy.shape().equals(s.result()),
                    INVALID_ARGUMENT,
                    "shape of dy was %s instead of %s",
                    dy.shape(),
                    s.result());
            Fills.zero(y);
            if (dy.size() > 0) dev.oxbow.kernels.move.Slice.write(dy, y, s.begin(), s.stride(), s.size(), c.parallel());
        };
    }

    /** The slice of the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Op op = new StridedSlice(beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
        Value d = Value.apply(op, g.gradient(0), g.input(1), g.input(2), g.input(3));
        return Arrays.asList(null, null, null, null, d);
    }
}
