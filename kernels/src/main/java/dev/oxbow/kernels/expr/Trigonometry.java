package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;

/** sin, cos and tan of f64 values, to 2 units in the last place (tan 4) for arguments below 2^45. */
final class Trigonometry {

    /*
     * x = n pi/2 + r with |r| <= pi/4. pi/2 is taken in three parts of 53 bits; the product of n and the
     * first is split by fma into a rounded part, whose difference from x is exact, and its error. Beyond
     * 2^45 whole turns can no longer be told apart this way: the result stays within [-1, 1] but means
     * nothing. sin and cos of r are Chebyshev fits; the low bits of n choose between them.
     */

    private static final double LIMIT = 0x1p45;
    private static final double HALF_PI = 0x1.921fb54442d18p+0;
    private static final double HALF_PI_2 = 0x1.1a62633145c07p-54;
    private static final double HALF_PI_3 = -0x1.f1976b7ed8fbcp-110;
    private static final double[] SIN = {
        -7.586094789672621e-13,
        1.6058521349954986e-10,
        -2.5052106167335705e-08,
        2.7557319219150783e-06,
        -0.00019841269841264821,
        0.008333333333333331,
        -0.16666666666666666
    };
    private static final double[] COS = {
        4.745537017319258e-14,
        -1.1470455178216906e-11,
        2.0876755754879594e-09,
        -2.755731922129809e-07,
        2.480158730158451e-05,
        -0.0013888888888888887,
        0.041666666666666664
    };

    private Trigonometry() {}

    private record Reduced(Expr quarter, Expr sin, Expr cos) {}

    private static Reduced reduce(Expr x) {
        Expr magic = x.literal(0x1.8p52);
        Expr shifted = x.fma(x.literal(2 / Math.PI), magic);
        Expr n = shifted.minus(magic), first = x.literal(HALF_PI), minusN = n.negated();
        Expr product = n.times(first), error = n.fma(first, product.negated());
        Expr r = x.minus(product).minus(error);
        r = minusN.fma(x.literal(HALF_PI_2), r);
        r = minusN.fma(x.literal(HALF_PI_3), r);
        r = Expr.select(x.abs().less(x.literal(LIMIT)), r, r.clip(x.literal(-Math.PI / 4), x.literal(Math.PI / 4)));
        Expr z = r.times(r), one = x.literal(1);
        Expr sin = r.times(z).fma(Lower.polynomial(z, SIN), r);
        Expr h = z.times(x.literal(0.5)), w = one.minus(h);
        Expr cos = w.plus(z.times(z).fma(Lower.polynomial(z, COS), one.minus(w).minus(h)));
        return new Reduced(Bits.ofFloat(shifted), sin, cos);
    }

    static Expr sin(Expr x) {
        Reduced r = reduce(x);
        Expr y = withQuarter(r.quarter, r.sin, r.cos);
        return Expr.select(x.equalTo(x.literal(0)), x, y);
    }

    static Expr cos(Expr x) {
        Reduced r = reduce(x);
        return withQuarter(r.quarter.plus(r.quarter.literal(1)), r.sin, r.cos);
    }

    static Expr tan(Expr x) {
        Reduced r = reduce(x);
        Expr isOdd = bit(r.quarter, 1);
        Expr y = Expr.select(isOdd, r.cos.negated(), r.sin).dividedBy(Expr.select(isOdd, r.sin, r.cos));
        return Expr.select(x.equalTo(x.literal(0)), x, y);
    }

    /** The sine {@code quarter} quarter turns on: sin, cos, -sin, -cos. */
    private static Expr withQuarter(Expr quarter, Expr sin, Expr cos) {
        Expr y = Expr.select(bit(quarter, 1), cos, sin);
        return Expr.select(bit(quarter, 2), y.negated(), y);
    }

    private static Expr bit(Expr quarter, long mask) {
        return quarter.and(Expr.constant(DType.I64, mask)).notEqualTo(Expr.constant(DType.I64, 0));
    }
}
