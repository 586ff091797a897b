package dev.oxbow.kernels.expr;

import static dev.oxbow.kernels.expr.interpret.Primitive.SHL;
import static dev.oxbow.kernels.expr.interpret.Primitive.SHR;
import static dev.oxbow.kernels.expr.interpret.Primitive.SUB;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** log and what is made of it, for f32 and f64: log and log1p to 2 units in the last place, the others to 6. */
final class Logarithms {

    /*
     * x = 2^k (1 + f) with 1 + f in [sqrt 1/2, sqrt 2). With s = f / (2 + f), log(1 + f) = 2 atanh(s)
     * = f - (h - s (h + R)) where h = f^2 / 2 and R = s^2 times a Chebyshev fit in s^2: the large term f
     * is exact, so the rest needs few digits. k ln 2 is added in two parts, of which the first is exact.
     */

    private static final double[] R32 = {0.29580985929974424, 0.39988757716604845, 0.6666668509542907};
    private static final double[] R64 = {
        0.13088034850927555, 0.13268638369266825, 0.15386244737621665, 0.18181795547521137,
        0.22222222392581045, 0.28571428570799784, 0.40000000000000885, 0.6666666666666666
    };

    private Logarithms() {}

    static Expr log(Expr x) {
        boolean single = x.dtype() == DType.F32;
        Expr infinity = x.literal(Double.POSITIVE_INFINITY), zero = x.literal(0), one = x.literal(1);
        Expr isTiny = x.less(x.literal(single ? Float.MIN_NORMAL : Double.MIN_NORMAL));
        Expr scaled = Expr.select(isTiny, x.times(x.literal(single ? 0x1p23 : 0x1p52)), x);
        Expr bits = Bits.ofFloat(scaled);
        Expr mantissaBits = bits.literal(single ? 23 : 52);
        Expr rootHalf = Bits.ofFloat(x.literal(Math.sqrt(0.5)));
        Expr exponent = integer(SHR, integer(SUB, bits, rootHalf), mantissaBits);
        Expr mantissa = Lower.bitcast(x.dtype(), integer(SUB, bits, integer(SHL, exponent, mantissaBits)));
        Expr k = Lower.convert(x.dtype(), exponent);
        k = Expr.select(isTiny, k.minus(x.literal(single ? 23 : 52)), k);

        Expr f = mantissa.minus(one), s = f.dividedBy(f.plus(x.literal(2))), z = s.times(s);
        Expr h = f.times(f).times(x.literal(0.5));
        Expr r = z.times(Lower.polynomial(z, single ? R32 : R64));
        Expr low = k.times(x.literal(single ? 1.4286068203094173e-06 : 7.440617110012397e-11));
        Expr tail = h.minus(s.fma(h.plus(r), low));
        Expr y = k.fma(x.literal(single ? 0.693145751953125 : 0.6931471804855391), f.minus(tail));

        Expr bad = Expr.select(x.equalTo(zero), infinity.negated(), x.literal(Double.NaN));
        return Expr.select(x.greater(zero), Expr.select(x.equalTo(infinity), x, y), bad);
    }

    private static Expr integer(Primitive op, Expr a, Expr b) {
        return Expr.node(op, a.dtype(), a, b);
    }

    /** {@code log(u) + (x - (u - 1)) / u} with {@code u = 1 + x}: the second term is what rounding u lost. */
    static Expr log1p(Expr x) {
        Expr one = x.literal(1), u = x.plus(one);
        Expr lost = x.minus(u.minus(one)).dividedBy(u);
        Expr isPlain = x.greater(x.literal(-1)).and(x.isFinite());
        Expr y = Expr.select(isPlain, u.log().plus(lost), u.log());
        return Expr.select(u.equalTo(one), x, y);
    }

    static Expr asinh(Expr x) {
        Expr m = x.abs(), one = x.literal(1), square = m.times(m);
        Expr small = m.plus(square.dividedBy(square.plus(one).sqrt().plus(one))).log1p();
        return Bits.withSignOf(
                x, Expr.select(m.less(x.literal(0x1p28)), small, logOfTwice(m)).abs());
    }

    static Expr acosh(Expr x) {
        Expr t = x.minus(x.literal(1));
        Expr small = t.plus(t.times(t.plus(x.literal(2))).sqrt()).log1p();
        Expr y = Expr.select(x.less(x.literal(0x1p28)), small, logOfTwice(x));
        return Expr.select(x.less(x.literal(1)), x.literal(Double.NaN), y);
    }

    private static Expr logOfTwice(Expr m) {
        return m.log().plus(m.literal(Math.log(2)));
    }

    static Expr atanh(Expr x) {
        Expr m = x.abs(), one = x.literal(1);
        Expr y = m.plus(m).dividedBy(one.minus(m)).log1p().times(x.literal(0.5));
        return Expr.select(m.lessEqual(one), Bits.withSignOf(x, y.abs()), x.literal(Double.NaN));
    }
}
