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

/** The largest element of each window. */
@Signature(
        "MaxPool(input: T) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE INT32 INT64 UINT8 INT16 INT8 UINT16 QINT8] = FLOAT; ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [\"SAME\" \"VALID\" \"EXPLICIT\"]; explicit_paddings: list(int) = []; data_format: string in [\"NHWC\" \"NCHW\" \"NCHW_VECT_C\"] = \"NHWC\"}")
public record MaxPool(
        List<Long> ksize, List<Long> strides, String padding, List<Long> explicitPaddings, String dataFormat)
        implements Differentiable, MaxWindow {

    /** Channels last. */
    public MaxPool(List<Long> ksize, List<Long> strides, String padding) {
        this(ksize, strides, padding, List.of(), "NHWC");
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return pool().infer(c);
    }

    private Pools pool() {
        return new Pools(2, ksize, strides, padding, explicitPaddings, dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, 0) : null;
    }

    @Override
    public Kernel cpu() {
        Pools pool = pool().checked();
        return Pools.max(_ -> pool);
    }

    /** Each window's gradient goes to its largest element. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new MaxPoolGrad(ksize, strides, padding, explicitPaddings, dataFormat),
                g.input(0),
                g.output(0),
                g.gradient(0)));
    }
}
