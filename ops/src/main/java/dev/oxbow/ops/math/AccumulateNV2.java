package dev.oxbow.ops.math;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Collections;
import java.util.List;

/** Sum of any number of values of one given shape. */
@Signature("AccumulateNV2(inputs: N*T) -> (sum: T) {N: int >= 1; T: type in [NUMBER]; shape: shape} commutative")
public record AccumulateNV2(Shape shape) implements Elementwise, Differentiable {

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.stream().reduce(Expr::plus).orElseThrow());
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = shape;
        for (int i = 0; i < c.inputCount(); i++) s = Arguments.merge(s, c.shape(i));
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Kernel cpu() {
        return new ElementwiseCpu(this);
    }

    /** {@code dx = dy} for every x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Collections.nCopies(g.node().inputCount(), g.gradient(0));
    }
}
