package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.interpret.Primitive.ABS;
import static dev.oxbow.kernels.expr.interpret.Primitive.ADD;
import static dev.oxbow.kernels.expr.interpret.Primitive.MAX;
import static dev.oxbow.kernels.expr.interpret.Primitive.MIN;
import static dev.oxbow.kernels.expr.interpret.Primitive.MUL;
import static dev.oxbow.kernels.expr.interpret.Primitive.NEG;
import static dev.oxbow.kernels.expr.interpret.Primitive.SUB;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Sums, products, signs and extremes of every numeric dtype. */
final class Arithmetic {
    private Arithmetic() {}

    static Expr plus(Expr x, Expr y) {
        if (x.dtype().isComplex()) {
            Lower.same(x, y);
            return Expr.complex(x.real().plus(y.real()), x.imag().plus(y.imag()));
        }
        return primitive(ADD, x, y);
    }

    static Expr minus(Expr x, Expr y) {
        if (x.dtype().isComplex()) {
            Lower.same(x, y);
            return Expr.complex(x.real().minus(y.real()), x.imag().minus(y.imag()));
        }
        return primitive(SUB, x, y);
    }

    static Expr times(Expr x, Expr y) {
        if (!x.dtype().isComplex()) return primitive(MUL, x, y);
        Lower.same(x, y);
        Expr a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
        return Expr.complex(a.times(c).minus(b.times(d)), a.times(d).plus(b.times(c)));
    }

    static Expr negated(Expr x) {
        if (x.dtype().isComplex())
            return Expr.complex(x.real().negated(), x.imag().negated());
        return Lower.unary(numeric("negation", x), v -> Expr.node(NEG, v.dtype(), v));
    }

    static Expr abs(Expr x) {
        if (x.dtype().isComplex()) return Complexes.abs(x);
        if (x.dtype().isUnsigned()) return x;
        return Lower.unary(numeric("abs", x), v -> Expr.node(ABS, v.dtype(), v));
    }

    static Expr sign(Expr x) {
        if (x.dtype().isComplex()) {
            Expr r = x.abs(), zero = r.literal(0), isZero = r.equalTo(zero);
            Expr re = Expr.select(isZero, zero, x.real().dividedBy(r));
            return Expr.complex(re, Expr.select(isZero, zero, x.imag().dividedBy(r)));
        }
        Expr zero = x.literal(0), one = x.literal(1);
        if (x.dtype().isUnsigned()) return Expr.select(x.equalTo(zero), zero, one);
        // Both comparisons are false for NaN, which is left as it is; so is -0 made 0.
        Expr rest = x.dtype().isFloating() ? Expr.select(x.equalTo(zero), zero, x) : zero;
        return Expr.select(x.greater(zero), one, Expr.select(x.less(zero), x.literal(-1), rest));
    }

    static Expr squaredDifference(Expr x, Expr y) {
        Expr d = x.minus(y);
        return x.dtype().isComplex() ? d.times(d.conj()) : d.square();
    }

    static Expr max(Expr x, Expr y) {
        return extreme(MAX, x, y);
    }

    static Expr min(Expr x, Expr y) {
        return extreme(MIN, x, y);
    }

    private static Expr extreme(Primitive op, Expr x, Expr y) {
        numeric(op.name(), Lower.same(x, y));
        if (x.dtype() == DType.U32 || x.dtype() == DType.U64) {
            return op == MAX ? Expr.select(x.less(y), y, x) : Expr.select(y.less(x), y, x);
        }
        return Expr.node(op, x.dtype(), x, y);
    }

    /** {@code value}, and {@code zero} where {@code x} is 0. */
    static Expr unlessZero(Expr x, Expr zero, Expr value) {
        return Expr.select(x.equalTo(x.literal(0)), zero, value);
    }

    private static Expr primitive(Primitive op, Expr x, Expr y) {
        return Lower.binary(numeric(op.name(), x), y, (a, b) -> Expr.node(op, a.dtype(), a, b));
    }

    static Expr numeric(String operation, Expr x) {
        if (x.dtype() == DType.BOOL || x.dtype().isComplex()) throw Lower.unsupported(operation, x);
        return x;
    }
}
