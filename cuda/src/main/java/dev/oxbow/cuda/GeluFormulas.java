package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;

/** GELU by tanh (Hendrycks and Gimpel, 2016): {@code x / 2 (1 + tanh(u))}, {@code u = sqrt(2 / pi) (x + 0.044715 x^3)}. */
final class GeluFormulas {
    private static final double SCALE = Math.sqrt(2 / Math.PI);
    private static final double CUBIC = 0.044715;

    private GeluFormulas() {}

    /** Of a number. */
    static double value(double x) {
        return 0.5 * x * (1 + Math.tanh(SCALE * (x + CUBIC * x * x * x)));
    }

    /** Its derivative there. */
    static double slope(double x) {
        double t = Math.tanh(SCALE * (x + CUBIC * x * x * x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * SCALE * (1 + 3 * CUBIC * x * x);
    }

    /** Of what has any floating dtype; computed in f32 and rounded once. */
    static Expr value(Expr given) {
        Expr x = given.cast(DType.F32), half = x.literal(0.5);
        return half.times(x).times(tanh(x).plus(x.literal(1))).cast(given.dtype());
    }

    /** {@code dy} times the derivative at {@code given}, in f32, rounded once. */
    static Expr gradient(Expr dy, Expr given) {
        Expr x = given.cast(DType.F32), one = x.literal(1), half = x.literal(0.5), t = tanh(x);
        Expr inner =
                x.literal(SCALE).times(one.plus(x.literal(3 * CUBIC).times(x).times(x)));
        Expr slope = half.times(t.plus(one))
                .plus(half.times(x).times(one.minus(t.times(t))).times(inner));
        return dy.cast(DType.F32).times(slope).cast(given.dtype());
    }

    private static Expr tanh(Expr x) {
        Expr cubed = x.literal(CUBIC).times(x).times(x).times(x);
        return x.literal(SCALE).times(x.plus(cubed)).tanh();
    }
}
