package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code BiasAdd} to the bias: the sum over everything but the channels. */
@Signature(
        "BiasAddGrad(out_backprop: T) -> (output: T) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 COMPLEX64 INT64 QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF UINT32 UINT64]; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"}")
public record BiasAddGrad(String dataFormat) implements Differentiable, Reducing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        if (!x.isRankKnown()) return List.of(c.input(0).withShape(Shape.ofRank(1)));
        require(x.rank() >= 2, INVALID_ARGUMENT, "Input tensor must be at least 2D: %s", x);
        return List.of(c.input(0).withShape(Shape.of(x.dim(Biases.channelAxis(x.rank(), dataFormat)))));
    }

    @Override
    public Reduction.Operation operation() {
        return Reduction.Operation.SUM;
    }

    @Override
    public int[] axes(InferenceContext c) {
        return Biases.summed(c.shape(0).rank(), dataFormat);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.along(0, outputs, Biases.channelAxis(c.shape(0).rank(), dataFormat));
    }

    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == Biases.channelAxis(c.shape(0).rank(), dataFormat) ? null : Pieces.summands(outputs, axis);
    }

    @Override
    public Kernel cpu() {
        return Biases.sum(dataFormat);
    }

    /** The gradient spread back over the shape of {@code dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.input(0), d = g.gradient(0);
        return List.of(Biases.spread(dy, d, dataFormat));
    }
}
