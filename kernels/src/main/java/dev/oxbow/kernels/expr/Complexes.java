package dev.oxbow.kernels.expr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.tensor.DType;

/** Complex numbers as pairs of real expressions. */
final class Complexes {
    private Complexes() {}

    static Expr complex(Expr re, Expr im) {
        DType part = re.dtype();
        require(
                part == im.dtype() && (part == DType.F32 || part == DType.F64),
                INVALID_ARGUMENT,
                "Expr: complex parts must both be f32 or both f64, got %s and %s",
                part,
                im.dtype());
        return Expr.node(Primitive.COMPLEX, part == DType.F32 ? DType.C64 : DType.C128, re, im);
    }

    static Expr real(Expr x) {
        if (!x.dtype().isComplex()) return x;
        return x.op() == Primitive.COMPLEX
                ? x.arg(0)
                : Expr.node(Primitive.REAL, x.dtype().real(), x);
    }

    static Expr imag(Expr x) {
        if (!x.dtype().isComplex()) return x.literal(0);
        return x.op() == Primitive.COMPLEX
                ? x.arg(1)
                : Expr.node(Primitive.IMAG, x.dtype().real(), x);
    }

    /** {@code x / y} by Smith's method, which neither overflows nor underflows early. */
    static Expr quotient(Expr x, Expr y) {
        Lower.same(x, y);
        Expr a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
        Expr realIsLarger = d.abs().lessEqual(c.abs());
        Expr large = Expr.select(realIsLarger, c, d), small = Expr.select(realIsLarger, d, c);
        Expr ratio = Expr.select(y.equalTo(y.literal(0)), c.literal(0), small.dividedBy(large));
        Expr scale = large.plus(small.times(ratio));
        Expr re =
                Expr.select(realIsLarger, a.plus(b.times(ratio)), a.times(ratio).plus(b));
        Expr im = Expr.select(
                realIsLarger, b.minus(a.times(ratio)), b.times(ratio).minus(a));
        return Expr.complex(re.dividedBy(scale), im.dividedBy(scale));
    }

    static Expr abs(Expr x) {
        Expr a = x.real().abs(), b = x.imag().abs();
        if (a.dtype() == DType.F32) {
            Expr p = Casts.widenToF64(a), q = Casts.widenToF64(b);
            return p.fma(p, q.times(q)).sqrt().cast(DType.F32);
        }
        Expr large = a.max(b), small = a.min(b), one = a.literal(1);
        Expr ratio = small.dividedBy(large);
        Expr r = large.times(ratio.fma(ratio, one).sqrt());
        Expr plain = large.equalTo(a.literal(0)).or(x.isInf());
        return Expr.select(plain, Expr.select(x.isInf(), a.literal(Double.POSITIVE_INFINITY), large), r);
    }

    static Expr angle(Expr x) {
        Expr zero = x.real().literal(0);
        return x.dtype().isComplex() ? x.imag().atan2(x.real()) : Expr.select(x.less(zero), x.literal(Math.PI), zero);
    }

    static Expr sqrt(Expr x) {
        Expr a = x.real(), b = x.imag(), zero = a.literal(0), half = a.literal(0.5);
        Expr t = x.abs().plus(a.abs()).times(half).sqrt();
        Expr other = Expr.select(t.equalTo(zero), zero, b.abs().times(half).dividedBy(t));
        Expr isPositive = a.greaterEqual(zero);
        Expr im = Expr.select(isPositive, other, t);
        return Expr.complex(Expr.select(isPositive, t, other), Expr.select(b.less(zero), im.negated(), im));
    }

    static Expr exp(Expr x) {
        Expr r = x.real().exp(), b = x.imag(), zero = b.literal(0);
        Expr im = Expr.select(b.equalTo(zero), b, r.times(b.sin()));
        return Expr.complex(r.times(b.cos()), im);
    }

    static Expr log(Expr x) {
        return Expr.complex(logAbs(x), x.angle());
    }

    /** {@code log |x|}, by log1p near the unit circle where the modulus itself would lose digits. */
    private static Expr logAbs(Expr x) {
        Expr a = x.real().abs(), b = x.imag().abs(), one = a.literal(1), half = a.literal(0.5);
        Expr large = a.max(b), small = a.min(b);
        Expr near = large.minus(one)
                .times(large.plus(one))
                .plus(small.times(small))
                .log1p()
                .times(half);
        Expr r = x.abs();
        return Expr.select(r.greater(half).and(r.less(a.literal(2))), near, r.log());
    }

    static Expr pow(Expr x, Expr y) {
        Lower.same(x, y);
        Expr zero = x.literal(0), one = x.literal(1);
        Expr power = y.times(x.log()).exp();
        Expr atZero = Expr.select(y.equalTo(zero), one, zero);
        return Expr.select(x.equalTo(zero), atZero, power);
    }

    static Expr sin(Expr x) {
        Expr a = x.real(), b = x.imag();
        return Expr.complex(a.sin().times(b.cosh()), a.cos().times(b.sinh()));
    }

    static Expr cos(Expr x) {
        Expr a = x.real(), b = x.imag();
        return Expr.complex(a.cos().times(b.cosh()), a.sin().times(b.sinh()).negated());
    }

    static Expr sinh(Expr x) {
        Expr a = x.real(), b = x.imag();
        return Expr.complex(a.sinh().times(b.cos()), a.cosh().times(b.sin()));
    }

    static Expr cosh(Expr x) {
        Expr a = x.real(), b = x.imag();
        return Expr.complex(a.cosh().times(b.cos()), a.sinh().times(b.sin()));
    }

    /** {@code tanh(a + bi) = (sinh 2a + i sin 2b) / (cosh 2a + cos 2b)}, with a limited to where it still counts. */
    static Expr tanh(Expr x) {
        Expr a2 = x.real().plus(x.real()), b2 = x.imag().plus(x.imag());
        Expr limit = a2.literal(80), c = a2.clip(limit.negated(), limit);
        Expr scale = c.cosh().plus(b2.cos());
        return Expr.complex(c.sinh().dividedBy(scale), b2.sin().dividedBy(scale));
    }

    static Expr tan(Expr x) {
        return overI(tanh(timesI(x)));
    }

    /** {@code log(x + sqrt(x^2 + 1))}, on the side where it does not cancel. */
    static Expr asinh(Expr x) {
        Expr flip = x.real().less(x.real().literal(0));
        Expr v = Expr.select(flip, x.negated(), x);
        Expr y = v.plus(v.square().plus(v.literal(1)).sqrt()).log();
        return Expr.select(flip, y.negated(), y);
    }

    static Expr asin(Expr x) {
        return overI(asinh(timesI(x)));
    }

    static Expr acos(Expr x) {
        return x.literal(Math.PI / 2).minus(asin(x));
    }

    static Expr acosh(Expr x) {
        Expr one = x.literal(1);
        return x.plus(x.plus(one).sqrt().times(x.minus(one).sqrt())).log();
    }

    static Expr atanh(Expr x) {
        Expr one = x.literal(1);
        return one.plus(x).log().minus(one.minus(x).log()).times(x.literal(0.5));
    }

    static Expr atan(Expr x) {
        return overI(atanh(timesI(x)));
    }

    static Expr expm1(Expr x) {
        Expr a = x.real(), b = x.imag(), h = b.times(b.literal(0.5)).sin();
        Expr re = a.expm1().times(b.cos()).minus(h.times(h).times(b.literal(2)));
        return Expr.complex(re, a.exp().times(b.sin()));
    }

    static Expr log1p(Expr x) {
        Expr a = x.real(), b = x.imag(), two = a.literal(2), half = a.literal(0.5), one = x.literal(1);
        Expr small = a.times(two.plus(a)).plus(b.times(b)).log1p().times(half);
        Expr isSmall = x.abs().less(half);
        Expr whole = x.plus(one);
        return Expr.complex(Expr.select(isSmall, small, whole.log().real()), b.atan2(whole.real()));
    }

    private static Expr timesI(Expr x) {
        return Expr.complex(x.imag().negated(), x.real());
    }

    private static Expr overI(Expr x) {
        return Expr.complex(x.imag(), x.real().negated());
    }
}
