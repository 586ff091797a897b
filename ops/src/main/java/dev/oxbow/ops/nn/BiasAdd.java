package dev.oxbow.ops.nn;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Adds a vector along the channels: {@code y[..., c] = x[..., c] + b[c]}. */
@Signature(
        "BiasAdd(value: T, bias: T) -> (output: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 COMPLEX64 INT64 QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF UINT32 UINT64]; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"}")
public record BiasAdd(String dataFormat) implements Differentiable, Elementwise {

    /** Channels last. */
    public BiasAdd() {
        this("NHWC");
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Biases.infer(c, dataFormat);
    }

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.get(0).plus(inputs.get(1)));
    }

    @Override
    public boolean broadcasts() {
        return dataFormat.equals("NHWC");
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int channels = Biases.channelAxis(c.shape(0).rank(), dataFormat);
        return Pieces.along(axis, outputs, axis, axis == channels ? 0 : Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return Biases.add(dataFormat);
    }

    /** {@code dx = dy}; {@code db} = the sum of {@code dy} over everything but the channels. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0), Value.apply(new BiasAddGrad(dataFormat), g.gradient(0)));
    }
}
