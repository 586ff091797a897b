package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.interpret.Primitive.DIV;
import static dev.oxbow.kernels.expr.interpret.Primitive.REM;
import static dev.oxbow.kernels.expr.interpret.Primitive.UDIV;
import static dev.oxbow.kernels.expr.interpret.Primitive.UREM;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Quotients and remainders; integers divided by zero fail when they run. */
final class Division {
    private Division() {}

    static Expr quotient(Expr x, Expr y) {
        if (x.dtype().isComplex()) return Complexes.quotient(x, y);
        return Lower.binary(Arithmetic.numeric("division", x), y, (a, b) -> divide(DIV, UDIV, a, b));
    }

    static Expr reciprocal(Expr x) {
        if (x.dtype().isComplex()) return Complexes.quotient(x.literal(1), x);
        return quotient(x.literal(1), x);
    }

    static Expr truncateDiv(Expr x, Expr y) {
        if (!x.dtype().isFloating()) return quotient(x, y);
        return Lower.binary(x, y, (a, b) -> Rounding.truncated(divide(DIV, UDIV, a, b)));
    }

    static Expr truncateMod(Expr x, Expr y) {
        return Lower.binary(Arithmetic.numeric("remainder", x), y, (a, b) -> divide(REM, UREM, a, b));
    }

    static Expr floorDiv(Expr x, Expr y) {
        return Lower.binary(Arithmetic.numeric("division", x), y, (a, b) -> {
            Expr q = divide(DIV, UDIV, a, b);
            if (a.dtype().isFloating()) return Rounding.floor(q);
            if (a.dtype().isUnsigned()) return q;
            return Expr.select(roundsUp(divide(REM, UREM, a, b), b), q.minus(q.literal(1)), q);
        });
    }

    static Expr floorMod(Expr x, Expr y) {
        return Lower.binary(Arithmetic.numeric("remainder", x), y, (a, b) -> {
            Expr r = divide(REM, UREM, a, b);
            return a.dtype().isUnsigned() ? r : Expr.select(roundsUp(r, b), r.plus(b), r);
        });
    }

    /** Whether truncating rounded up: the remainder {@code r} is not zero and its sign is not the divisor's. */
    private static Expr roundsUp(Expr r, Expr divisor) {
        Expr zero = r.literal(0);
        return r.notEqualTo(zero).and(r.less(zero).xor(divisor.less(zero)));
    }

    private static Expr divide(Primitive signed, Primitive unsigned, Expr a, Expr b) {
        boolean wide = a.dtype() == DType.U32 || a.dtype() == DType.U64;
        return Expr.node(wide ? unsigned : signed, a.dtype(), a, b);
    }
}
