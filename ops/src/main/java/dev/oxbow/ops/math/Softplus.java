package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Smooth rectifier: {@code y = log(1 + exp(x))}, which is x or exp(x) where the other term does not count. */
@Signature("Softplus(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Softplus() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        double epsilon = switch (x.dtype()) {
            case F64 -> 0x1p-52;
            case F16 -> 0x1p-13; // what Eigen has for it
            case BF16 -> 0x1p-7;
            default -> 0x1p-23;
        };
        double threshold = Math.log(epsilon) + 2;
        return x.computed(v -> {
            Expr e = v.exp();
            Expr small = Expr.select(v.less(v.literal(threshold)), e, e.log1p());
            return Expr.select(v.greater(v.literal(-threshold)), v, small);
        });
    }

    /** {@code dx = dy / (1 + exp(-x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(Value.apply(new SoftplusGrad(), dy, x));
    }
}
