package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.interpret.Primitive.ADD;
import static dev.oxbow.kernels.expr.interpret.Primitive.SHL;
import static dev.oxbow.kernels.expr.interpret.Primitive.SHR;
import static dev.oxbow.kernels.expr.interpret.Primitive.SUB;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** exp and what is made of it, for f32 and f64: exp to 1.5 units in the last place, expm1 to 2, the others to 4. */
final class Exponentials {

    /*
     * exp(x) = 2^n exp(r) with n = rint(x / ln 2). Adding 1.5 * 2^23 (2^52) to x / ln 2 rounds it to n and
     * leaves n in the low bits, so no conversion is needed. ln 2 is taken away in two parts, the first
     * short enough for n times it to be exact. exp(r) = 1 + r + r^2 q(r) with a Chebyshev fit of q on
     * [-ln 2 / 2, ln 2 / 2]. 2^n is applied in two factors, so that results below the normal range are
     * rounded once.
     */

    private static final double[] Q32 = {
        0.0013926183587713494, 0.008363179052722578, 0.041666554617204574, 0.16666576989698775, 0.5
    };
    private static final double[] Q64 = {
        2.0914686968086876e-09, 2.5105217004720745e-08, 2.75572736431103e-07, 2.7557255400206422e-06,
        2.4801587325547743e-05, 0.00019841269874820627, 0.0013888888888883748, 0.008333333333326136,
        0.04166666666666667, 0.1666666666666667, 0.5
    };

    private Exponentials() {}

    /** The whole number of ln 2 in x, as an integer, and what exp(rest) - 1 is. */
    private record Reduced(Expr n, Expr expm1) {}

    private static Reduced reduce(Expr x) {
        boolean single = x.dtype() == DType.F32;
        Expr magic = x.literal(single ? 0x1.8p23 : 0x1.8p52);
        Expr shifted = x.fma(x.literal(1 / Math.log(2)), magic);
        Expr n = shifted.minus(magic).negated();
        Expr r = n.fma(x.literal(single ? 0.693145751953125 : 0.6931471804855391), x);
        r = n.fma(x.literal(single ? 1.4286068203094173e-06 : 7.440617110012397e-11), r);
        Expr q = Lower.polynomial(r, single ? Q32 : Q64);
        Expr whole = integer(SUB, Bits.ofFloat(shifted), Bits.ofFloat(magic));
        return new Reduced(whole, q.fma(r.times(r), r));
    }

    /** {@code 2^n} for an integer n within the normal range. */
    private static Expr powerOfTwo(DType dtype, Expr n) {
        boolean single = dtype == DType.F32;
        Expr biased = integer(ADD, n, n.literal(single ? 127 : 1023));
        return Lower.bitcast(dtype, integer(SHL, biased, n.literal(single ? 23 : 52)));
    }

    private static Expr integer(Primitive op, Expr a, Expr b) {
        return Expr.node(op, a.dtype(), a, b);
    }

    /** NaN passes; two comparisons are cheaper than max and min, which look at signs of zeros too. */
    private static Expr limited(Expr x, double low, double high) {
        Expr above = Expr.select(x.less(x.literal(low)), x.literal(low), x);
        return Expr.select(x.greater(x.literal(high)), x.literal(high), above);
    }

    static Expr exp(Expr x) {
        boolean single = x.dtype() == DType.F32;
        Expr limited = limited(x, single ? -104 : -746, single ? 89 : 710);
        Reduced r = reduce(limited);
        Expr half = integer(SHR, r.n, r.n.literal(1)), rest = integer(SUB, r.n, half);
        Expr e = r.expm1.plus(x.literal(1));
        return e.times(powerOfTwo(x.dtype(), half)).times(powerOfTwo(x.dtype(), rest));
    }

    /** {@code 2 (2^(n-1) p + 2^(n-1) - 1/2)}: halving keeps the largest results in range until the end. */
    static Expr expm1(Expr x) {
        boolean single = x.dtype() == DType.F32;
        Expr limited = limited(x, single ? -80 : -700, single ? 89 : 710);
        Reduced r = reduce(limited);
        Expr scale = powerOfTwo(x.dtype(), integer(SUB, r.n, r.n.literal(1)));
        Expr half = r.expm1.fma(scale, scale.minus(x.literal(0.5)));
        return Expr.select(x.equalTo(x.literal(0)), x, half.plus(half));
    }

    /** With {@code t = exp(-|x|)}: {@code 1 / (1 + t)}, or {@code t / (1 + t)} below 0, where the other form overflows. */
    static Expr sigmoid(Expr x) {
        Expr one = x.literal(1), t = x.abs().negated().exp();
        return Expr.select(x.less(x.literal(0)), t, one).dividedBy(t.plus(one));
    }

    static Expr complexSigmoid(Expr x) {
        Expr one = x.literal(1);
        return one.dividedBy(x.negated().exp().plus(one));
    }

    /** With {@code t = expm1(-2|x|)}: {@code -t / (t + 2)}. */
    static Expr tanh(Expr x) {
        Expr t = x.abs().times(x.literal(-2)).expm1();
        return Bits.withSignOf(x, t.dividedBy(t.plus(x.literal(2))).abs());
    }

    static Expr sinh(Expr x) {
        Expr m = x.abs(), t = m.expm1(), half = x.literal(0.5), one = x.literal(1);
        Expr small = t.plus(t.dividedBy(t.plus(one))).times(half);
        return Bits.withSignOf(x, Expr.select(m.less(x.literal(20)), small, halfExp(m)));
    }

    static Expr cosh(Expr x) {
        Expr m = x.abs(), e = m.exp(), half = x.literal(0.5);
        Expr small = e.plus(e.reciprocal()).times(half);
        return Expr.select(m.less(x.literal(20)), small, halfExp(m));
    }

    /** {@code exp(m) / 2} without overflow on the way. */
    private static Expr halfExp(Expr m) {
        Expr half = m.literal(0.5), root = m.times(half).exp();
        return root.times(half).times(root);
    }
}
