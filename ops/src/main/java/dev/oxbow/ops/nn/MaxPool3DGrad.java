package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code MaxPool3D}: each window's gradient goes to every element that equals its largest. */
@Signature(
        "MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> (output: T) {ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; T: type in [HALF BFLOAT16 FLOAT] = FLOAT; TInput: type in [HALF BFLOAT16 FLOAT] = FLOAT}")
public record MaxPool3DGrad(List<Long> ksize, List<Long> strides, String padding, String dataFormat)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 5);
        return List.of(new TensorType(c.outputDtype(0), c.shape(0)));
    }

    private Pools pool() {
        return new Pools(3, ksize, strides, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0, 0, 0) : null;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.input(1), dy = c.input(2);
            pool().checkOutput(x.shape(), "orig_output", y.shape());
            pool().checkOutput(x.shape(), "grad", dy.shape());
            dev.oxbow.kernels.numeric.MaxPool.gradientOfTies(
                    x, y, dy, pool().over(x.shape()), c.output(0), c.memory(), c.parallel());
        };
    }

    /** It picks, so its gradient picks at the same positions. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                null,
                null,
                Value.apply(
                        new MaxPool3DGradGrad(ksize, strides, padding, dataFormat),
                        g.input(0),
                        g.input(1),
                        g.gradient(0)));
    }
}
