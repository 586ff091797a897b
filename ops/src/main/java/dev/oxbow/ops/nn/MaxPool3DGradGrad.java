package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Gradient of {@code MaxPool3DGrad} to the gradient: each window picks {@code grad} at its largest element. */
@Signature(
        "MaxPool3DGradGrad(orig_input: T, orig_output: T, grad: T) -> (output: T) {ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]}")
public record MaxPool3DGradGrad(List<Long> ksize, List<Long> strides, String padding, String dataFormat)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 5);
        return List.of(c.input(1));
    }

    private Pools pool() {
        return new Pools(3, ksize, strides, padding, List.of(), dataFormat);
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return Pools.maxSecondGradient(_ -> pool);
    }

    /** Back to the positions that were picked. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                null,
                null,
                Value.apply(
                        new MaxPool3DGrad(ksize, strides, padding, dataFormat), g.input(0), g.input(1), g.gradient(0)));
    }
}
