package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Regularised incomplete beta function {@code I_x(a, b)}; scalars are repeated. */
@Signature("Betainc(a: T, b: T, x: T) -> (z: T) {T: type in [FLOAT DOUBLE]}")
public record Betainc() implements Elementwise, Differentiable {

    @Override
    public List<Expr> expressions(List<Expr> inputs) {
        return List.of(inputs.get(0).special(Special.BETAINC, inputs.get(1), inputs.get(2)));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Shape.SCALAR;
        boolean open = false;
        for (int i = 0; i < 3; i++) {
            if (!c.shape(i).isRankKnown()) open = true;
            else if (c.shape(i).rank() > 0) {
                Shape both = s.isScalar() ? c.shape(i) : s.merge(c.shape(i));
                require(
                        both != null,
                        INVALID_ARGUMENT,
                        "Shapes of a, b and x are inconsistent: %s vs. %s",
                        s,
                        c.shape(i));
                s = both;
            }
        }
        return List.of(new TensorType(c.dtype(0), open && s.isScalar() ? Shape.UNKNOWN : s));
    }

    @Override
    public Kernel cpu() {
        return new ElementwiseCpu(this);
    }

    /** {@code dx = dz x^(a - 1) (1 - x)^(b - 1) / beta(a, b)}; none for a and b. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), b = g.input(1), x = g.input(2), dz = g.gradient(0);
        Value logBeta = lgamma(a).plus(lgamma(b)).minus(lgamma(a.plus(b)));
        Value power = Value.apply(new Xlog1py(), b.minus(1), x.negated())
                .plus(Value.apply(new Xlogy(), a.minus(1), x))
                .minus(logBeta);
        Value dx =
                Broadcasting.reduce(x, g.output(0), dz.times(power.exp()), null).get(0);
        return Arrays.asList(null, null, dx);
    }

    private static Value lgamma(Value x) {
        return Value.apply(new Lgamma(), x);
    }
}
