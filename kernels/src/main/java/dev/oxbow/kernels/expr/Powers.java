package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.kernels.expr.special.Special;

/** Roots and powers. */
final class Powers {
    private Powers() {}

    static Expr sqrt(Expr x) {
        if (x.dtype().isComplex()) return Complexes.sqrt(x);
        return Lower.unary(floating("sqrt", x), v -> Expr.node(Primitive.SQRT, v.dtype(), v));
    }

    static Expr rsqrt(Expr x) {
        if (x.dtype().isComplex()) return x.sqrt().reciprocal();
        return Lower.unary(floating("rsqrt", x), v -> v.sqrt().reciprocal());
    }

    static Expr pow(Expr x, Expr y) {
        if (x.dtype().isComplex()) return Complexes.pow(x, y);
        return Lower.binary(Arithmetic.numeric("pow", x), y, (a, b) -> {
            if (a.dtype() == F64) return Expr.callNode(Special.POW, a, b);
            if (a.dtype() == F32) {
                return Lower.convert(F32, realPower(Lower.convert(F64, a), Lower.convert(F64, b)));
            }
            return Expr.node(Primitive.IPOW, a.dtype(), a, b);
        });
    }

    /**
     * {@code exp(y log |x|)} in f64, which is exact enough for f32, with C's special cases: a negative base has real
     * powers only for whole exponents; 1 to any power and anything to the power 0 are 1, even for NaN.
     */
    private static Expr realPower(Expr x, Expr y) {
        Expr zero = x.literal(0), one = x.literal(1), half = y.literal(0.5);
        Expr magnitude = x.abs().log().times(y).exp();
        Expr isWhole = y.floor().equalTo(y);
        Expr h = y.times(half), isOdd = isWhole.and(h.floor().notEqualTo(h)).and(y.isFinite());
        Expr isNegative = Bits.ofFloat(x).less(Bits.ofFloat(x).literal(0));
        Expr signed = Expr.select(isNegative.and(isOdd), magnitude.negated(), magnitude);
        Expr hasNone = x.less(zero).and(isWhole.not()).and(x.isFinite());
        Expr general = Expr.select(hasNone, x.literal(Double.NaN), signed);
        Expr unit = x.abs().equalTo(one).and(y.isInf()).or(x.equalTo(one)).or(y.equalTo(zero));
        return Expr.select(unit, one, general);
    }

    static Expr floating(String operation, Expr x) {
        if (x.dtype().isFloating()) return x;
        throw Lower.unsupported(operation, x);
    }
}
