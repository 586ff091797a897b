package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;

/** Rounding to whole numbers; integers are whole already. */
final class Rounding {

    /*
     * Adding and taking away 2^23 (2^52 for f64) leaves a smaller magnitude rounded to a whole number,
     * halves to even, because that is where a unit in the last place is one. Larger values are whole, or
     * not numbers. Floor and ceil correct the rounded value by one where it is on the wrong side, and
     * every result takes its sign bit from the argument, so that -0.3 becomes -0.
     */

    private Rounding() {}

    static Expr rint(Expr x) {
        return x.dtype().isFloating() ? Lower.unary(x, Rounding::nearest) : x;
    }

    static Expr floor(Expr x) {
        return x.dtype().isFloating() ? Lower.unary(x, v -> corrected(v, nearest(v), true)) : x;
    }

    static Expr ceil(Expr x) {
        return x.dtype().isFloating() ? Lower.unary(x, v -> corrected(v, nearest(v), false)) : x;
    }

    static Expr truncated(Expr x) {
        if (!x.dtype().isFloating()) return x;
        return Lower.unary(x, v -> {
            Expr m = v.abs();
            return Bits.withSignOf(v, corrected(m, nearest(m), true));
        });
    }

    private static Expr nearest(Expr x) {
        Expr unit = x.literal(x.dtype() == DType.F32 ? 0x1p23 : 0x1p52), m = x.abs();
        Expr whole = m.plus(unit).minus(unit);
        return Bits.withSignOf(x, Expr.select(m.less(unit), whole, m));
    }

    private static Expr corrected(Expr x, Expr near, boolean down) {
        Expr one = x.literal(1);
        if (down) return Expr.select(near.greater(x), near.minus(one), near);
        Expr up = Expr.select(near.less(x), near.plus(one), near);
        return Expr.select(up.equalTo(x.literal(0)), Bits.withSignOf(x, x.literal(0)), up);
    }
}
