package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code y = min(max(t, low), high)}. */
@Signature("ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> (output: T) {T: type in [NUMBER]}")
public record ClipByValue() implements Elementwise, Differentiable {

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.get(0).clip(inputs.get(1), inputs.get(2)));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 1; i < 3; i++) {
            Shape s = Shape.broadcast(c.shape(0), c.shape(i));
            boolean fits = s != null && (!s.isFullyKnown() || !c.shape(0).isFullyKnown() || s.equals(c.shape(0)));
            require(
                    fits,
                    INVALID_ARGUMENT,
                    "limits %s must be scalars or have the shape of the input, %s",
                    c.shape(i),
                    c.shape(0));
        }
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return new ElementwiseCpu(this);
    }

    /** {@code dy} goes to the one of the three that was chosen. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), low = g.input(1), high = g.input(2), dy = g.gradient(0), zero = dy.constantLike(0);
        Value below = x.less(low), above = x.greater(high);
        Value dx = Value.where(Value.apply(new LogicalOr(), below, above), zero, dy);
        return List.of(
                dx,
                Broadcasting.reduce(low, x, Value.where(below, dy, zero), null).get(0),
                Broadcasting.reduce(high, x, Value.where(above, dy, zero), null).get(0));
    }
}
