package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code AvgPool}: each window's gradient in equal parts; the input is given by its shape. */
@Signature(
        "AvgPoolGrad(orig_input_shape: int32, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; T: type in [HALF BFLOAT16 FLOAT DOUBLE]}")
public record AvgPoolGrad(List<Long> ksize, List<Long> strides, String padding, String dataFormat)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shapeValue(0);
        require(x.rank() == 4 || !x.isRankKnown(), INVALID_ARGUMENT, "orig_input_shape must have 4 entries, got %s", x);
        return List.of(c.input(1).withShape(x.isRankKnown() ? x : Shape.ofRank(4)));
    }

    private Pools pool() {
        return new Pools(2, ksize, strides, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, Pieces.SHAPE, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return c -> {
            Tensor dy = c.input(1), dx = c.output(0);
            pool.checkOutput(dx.shape(), "grad", dy.shape());
            dev.oxbow.kernels.numeric.AvgPool.gradient(dy, pool.over(dx.shape()), dx, c.memory(), c.parallel());
        };
    }

    /** The means of the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(null, Value.apply(new AvgPool(ksize, strides, padding, dataFormat), g.gradient(0)));
    }
}
