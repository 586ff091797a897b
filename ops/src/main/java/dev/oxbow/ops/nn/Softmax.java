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
import java.util.List;

/** Softmax over the last axis: {@code y = exp(x - max(x)) / sum(exp(x - max(x)))}. */
@Signature("Softmax(logits: T) -> (softmax: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE]}")
public record Softmax() implements Differentiable, RowWise {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(c.shape(0).rank() != 0, INVALID_ARGUMENT, "logits must have >= 1 dimension, got %s", c.shape(0));
        return List.of(c.input(0));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int last = c.shape(0).rank() - 1;
        if (axis >= last) return null;
        return axis == 0 ? Pieces.rows(outputs, 0) : Pieces.along(axis, outputs, axis);
    }

    @Override
    public RowFormula rows(List<TensorType> inputs) {
        return dev.oxbow.kernels.numeric.Softmax.formula(inputs.get(0).dtype());
    }

    @Override
    public List<Expr> join(RowFormula f, List<Expr> inputs) {
        return List.of(dev.oxbow.kernels.numeric.Softmax.joined(f, inputs.get(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> dev.oxbow.kernels.numeric.Softmax.run(c.input(0), c.output(0), c.parallel());
    }

    /** {@code dx = (dy - sum(dy * y)) * y}; needs only the output. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(dy.minus(dy.times(y).sum(true, -1)).times(y));
    }
}
