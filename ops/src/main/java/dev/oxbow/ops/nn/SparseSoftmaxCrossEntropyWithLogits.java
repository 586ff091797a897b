package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Cross entropy of one class per row and softmax of the logits, with its gradient to the logits. */
@Signature(
        "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T) {T: type in [HALF"
                + " BFLOAT16 FLOAT DOUBLE]; Tlabels: type in [INT32 INT64] = INT64}")
public record SparseSoftmaxCrossEntropyWithLogits() implements Differentiable, RowWise {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0).isRankKnown() ? c.shape(0) : Shape.ofRank(2);
        require(x.rank() == 2, INVALID_ARGUMENT, "logits must be 2-D, but got shape %s", x);
        require(
                c.shape(1).rank() == 1 || !c.shape(1).isRankKnown(),
                INVALID_ARGUMENT,
                "labels must be 1-D, but got shape %s",
                c.shape(1));
        long rows = x.dim(0), labels = c.shape(1).dim(0);
        require(
                rows < 0 || labels < 0 || rows == labels,
                INVALID_ARGUMENT,
                "logits and labels must have the same first dimension, got logits shape %s and labels shape %s",
                x,
                c.shape(1));
        Shape y = x.withDim(0, Math.max(rows, labels));
        return List.of(new TensorType(c.dtype(0), y.slice(0, 1)), new TensorType(c.dtype(0), y));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, 0, 0) : null;
    }

    @Override
    public RowFormula rows(List<TensorType> inputs) {
        return dev.oxbow.kernels.numeric.Softmax.sparseLossFormula(
                inputs.get(0).dtype(), inputs.get(1).dtype());
    }

    @Override
    public List<Expr> join(RowFormula f, List<Expr> inputs) {
        return dev.oxbow.kernels.numeric.Softmax.joinedSparseLoss(f, inputs.get(0), inputs.get(1));
    }

    @Override
    public int columnInput() {
        return 1;
    }

    @Override
    public String noColumn(long row, long named, long columns) {
        return dev.oxbow.kernels.numeric.Softmax.noClass(row, named, columns);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            require(
                    x.shape().dim(1) > 0,
                    INVALID_ARGUMENT,
                    "Must have at least one class, but got logits shape %s",
                    x.shape());
            dev.oxbow.kernels.numeric.Softmax.sparseCrossEntropy(x, c.input(1), c.output(0), c.output(1), c.parallel());
        };
    }

    /** {@code dx = dloss * backprop}, plus the way back through backprop itself. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return CrossEntropies.gradient(g, false);
    }
}
