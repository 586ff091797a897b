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

/** The largest element of each window over planes, rows and columns. */
@Signature(
        "MaxPool3D(input: T) -> (output: T) {ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NDHWC\" \"NCDHW\"] = \"NDHWC\"; T: type in [HALF BFLOAT16 FLOAT]}")
public record MaxPool3D(List<Long> ksize, List<Long> strides, String padding, String dataFormat)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return pool().infer(c);
    }

    private Pools pool() {
        return new Pools(3, ksize, strides, padding, List.of(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.along(0, outputs, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return Pools.max(_ -> pool);
    }

    /** Each window's gradient goes to its largest elements. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new MaxPool3DGrad(ksize, strides, padding, dataFormat), g.input(0), g.output(0), g.gradient(0)));
    }
}
