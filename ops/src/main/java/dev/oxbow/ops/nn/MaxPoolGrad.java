package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code MaxPool}: each window's gradient goes to its largest element, the first of equal ones. */
@Signature(
        "MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64] = FLOAT}")
public record MaxPoolGrad(
        List<Long> ksize, List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat)
        implements Differentiable, MaxWindow {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        return List.of(c.input(0));
    }

    private Pools pool() {
        return new Pools(2, ksize, strides, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, 0, 0, 0) : null;
    }

    @Override
    public boolean worksInPlace(InferenceContext c, List<TensorType> outputs) {
        return !pool().isAcrossChannels()
                && dev.oxbow.kernels.numeric.MaxPool.gradientWorksInPlace(c.dtype(0), pool().over(c.shape(0)));
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return Pools.maxGradient(_ -> pool);
    }

    /** It picks, so its gradient picks at the same positions. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                null,
                null,
                Value.apply(
                        new MaxPoolGradGrad(ksize, strides, padding, dataFormat),
                        g.input(0),
                        g.input(1),
                        g.gradient(0)));
    }
}
