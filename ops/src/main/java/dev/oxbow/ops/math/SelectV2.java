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
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** {@code y = condition ? t : e}, with broadcasting. */
@Signature("SelectV2(condition: bool, t: T, e: T) -> (output: T) {T: type}")
public record SelectV2() implements Elementwise, Differentiable {

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(Expr.select(inputs.get(0), inputs.get(1), inputs.get(2)));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape values = Shape.broadcast(c.shape(1), c.shape(2));
        Shape s = values == null ? null : Shape.broadcast(c.shape(0), values);
        require(
                s != null,
                INVALID_ARGUMENT,
                "condition %s, then %s, and else %s must be broadcastable",
                c.shape(0),
                c.shape(1),
                c.shape(2));
        return List.of(new TensorType(c.dtype(1), s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.isAllocated(0)
                    ? c.output(0)
                    : c.allocate(
                            0,
                            Shape.broadcast(
                                    c.input(0).shape(),
                                    Shape.broadcast(
                                            c.input(1).shape(), c.input(2).shape())));
            Selection.run(c, c.input(0), c.input(1), c.input(2), y);
        };
    }

    /** {@code dt = condition ? dy : 0}, {@code de = condition ? 0 : dy}, summed over what was broadcast. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value condition = g.input(0), y = g.output(0), dy = g.gradient(0), zero = dy.constantLike(0);
        Value dt = Value.where(condition, dy, zero), de = Value.where(condition, zero, dy);
        return Arrays.asList(
                null,
                Broadcasting.reduce(g.input(1), y, dt, null).get(0),
                Broadcasting.reduce(g.input(2), y, de, null).get(0));
    }
}
