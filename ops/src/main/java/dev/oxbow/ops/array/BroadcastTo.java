package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The input repeated along new and size-1 dimensions until it has the given shape. */
@Signature("BroadcastTo(input: T, shape: Tidx) -> (output: T) {T: type; Tidx: type in [INT32 INT64] = INT32}")
public record BroadcastTo() implements Differentiable, Elementwise {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape to = c.shapeValue(1);
        if (to.isFullyKnown() && c.shape(0).isRankKnown()) {
            Shape both = Shape.broadcast(c.shape(0), to);
            require(
                    both != null && (!both.isFullyKnown() || both.equals(to)),
                    INVALID_ARGUMENT,
                    "Incompatible shapes: %s vs. %s",
                    c.shape(0),
                    to);
        }
        return List.of(c.input(0).withShape(to));
    }

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.get(0));
    }

    @Override
    public int operands(int inputs) {
        return 1;
    }

    @Override
    public int viewOf(InferenceContext c, List<TensorType> outputs) {
        return c.shape(0).equals(outputs.get(0).shape()) ? 0 : -1;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int at = axis - outputs.get(0).shape().rank() + c.shape(0).rank();
        boolean isCut = at >= 0 && c.shape(0).dim(at) == outputs.get(0).shape().dim(axis);
        return Pieces.along(axis, outputs, isCut ? at : Pieces.WHOLE, Pieces.SHAPE);
    }

    @Override
    public Kernel cpu() {
        return c -> Broadcast.run(c.input(0), c.output(0), c.parallel());
    }

    /** {@code dx = dy} summed over the repeated dimensions. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dx = Broadcasting.reduce(g.input(0), g.output(0), g.gradient(0), null)
                .get(0);
        return Arrays.asList(dx, null);
    }
}
