package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The mean of the part of each window that is inside the image. */
@Signature(
        "AvgPool(value: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; T: type in [HALF BFLOAT16 FLOAT DOUBLE]}")
public record AvgPool(List<Long> ksize, List<Long> strides, String padding, String dataFormat)
        implements Differentiable {

    /** Channels last. */
    public AvgPool(List<Long> ksize, List<Long> strides, String padding) {
        this(ksize, strides, padding, "NHWC");
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return pool().infer(c);
    }

    private Pools pool() {
        return new Pools(2, ksize, strides, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return c -> dev.oxbow.kernels.numeric.AvgPool.forward(
                c.input(0), pool.over(c.input(0).shape()), c.output(0), c.memory(), c.parallel());
    }

    /** Each window's gradient in equal parts. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new AvgPoolGrad(ksize, strides, padding, dataFormat), g.input(0).runtimeShape(), g.gradient(0)));
    }
}
