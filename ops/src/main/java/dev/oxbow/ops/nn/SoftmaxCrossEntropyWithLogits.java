package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Cross entropy of a distribution per row and softmax of the logits, with its gradient to the logits. */
@Signature(
        "SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]}")
public record SoftmaxCrossEntropyWithLogits() implements Differentiable, RowWise {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 2; i++)
            require(
                    c.shape(i).rank() == 2 || !c.shape(i).isRankKnown(),
                    INVALID_ARGUMENT,
                    "logits and labels must be 2-dimensional, got %s and %s",
                    c.shape(0),
                    c.shape(1));
        Shape s = Shape.broadcast(c.shape(0), c.shape(1));
        require(
                s != null,
                INVALID_ARGUMENT,
                "logits and labels must be broadcastable: logits_size=%s labels_size=%s",
                c.shape(0),
                c.shape(1));
        if (!s.isRankKnown()) s = Shape.ofRank(2);
        return List.of(new TensorType(c.dtype(0), s.slice(0, 1)), new TensorType(c.dtype(0), s));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        if (axis > 0) return null;
        if (c.shape(0).equals(c.shape(1))) return Pieces.rows(outputs, 0, 0);
        long rows = outputs.get(0).shape().dim(0);
        return Pieces.along(
                0,
                outputs,
                c.shape(0).dim(0) == rows ? 0 : Pieces.WHOLE,
                c.shape(1).dim(0) == rows ? 0 : Pieces.WHOLE);
    }

    @Override
    public RowFormula rows(List<TensorType> inputs) {
        boolean same = inputs.get(0).shape().equals(inputs.get(1).shape());
        return same
                ? dev.oxbow.kernels.numeric.Softmax.lossFormula(inputs.get(0).dtype())
                : null;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor dx = c.output(1);
            require(
                    dx.shape().dim(1) > 0 || dx.shape().dim(0) == 0,
                    INVALID_ARGUMENT,
                    "Must have at least one class, got logits of %s",
                    dx.shape());
            dev.oxbow.kernels.numeric.Softmax.crossEntropy(c.input(0), c.input(1), c.output(0), dx, c.parallel());
        };
    }

    /** {@code dx = dloss * backprop}, plus the way back through backprop itself; {@code dlabels = -dloss * logsoftmax(x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return CrossEntropies.gradient(g, true);
    }
}
