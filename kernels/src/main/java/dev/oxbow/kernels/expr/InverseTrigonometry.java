package dev.oxbow.kernels.expr;

/** asin, acos, atan and atan2 of f64 values, to 3 units in the last place. */
final class InverseTrigonometry {

    /*
     * atan of a ratio a / b of non-negative numbers: the smaller is divided by the larger, and above
     * tan(pi/8) the angle pi/4 is taken away, (t - 1) / (t + 1) being the tangent of the rest. On what is left a
     * Chebyshev fit of (atan(t) / t - 1) / t^2 in t^2. asin and acos are angles of right triangles.
     */

    private static final double TAN_PI_8 = 0.41421356237309503;
    private static final double[] ATAN = {
        0.01627194475162406, -0.034558092551413795, 0.04551108126325172, -0.052303478730160745,
        0.058789145444006215, -0.06666423628069258, 0.0769229630497447, -0.09090908751076636,
        0.11111111105106705, -0.14285714285659326, 0.199999999999998, -0.3333333333333333
    };
    private static final double LOW = 6.123233995736766e-17; // what Math.PI / 2 lacks of pi/2

    private InverseTrigonometry() {}

    static Expr atan(Expr x) {
        Expr m = x.abs(), one = x.literal(1);
        return Bits.withSignOf(x, angle(m.min(one), m.max(one), m.greater(one)));
    }

    static Expr atan2(Expr y, Expr x) {
        Expr b = y.abs(), a = x.abs(), zero = x.literal(0), one = x.literal(1);
        Expr bothInfinite = b.isInf().and(a.isInf());
        Expr small = Expr.select(bothInfinite, one, a.min(b)), large = Expr.select(bothInfinite, one, a.max(b));
        large = Expr.select(large.equalTo(zero), one, large);
        Expr acute = angle(small, large, b.greater(a));
        Expr signBit = Bits.ofFloat(x).less(Bits.ofFloat(x).literal(0));
        Expr obtuse = x.literal(Math.PI).minus(acute.minus(x.literal(2 * LOW)));
        Expr r = Bits.withSignOf(y, Expr.select(signBit, obtuse, acute));
        return Expr.select(x.isNan().or(y.isNan()), x.plus(y), r);
    }

    /** {@code atan(small / large)}, or the rest to a right angle when the two were swapped. */
    private static Expr angle(Expr small, Expr large, Expr swapped) {
        Expr isSteep = small.greater(large.times(large.literal(TAN_PI_8)));
        Expr t = Expr.select(isSteep, small.minus(large), small)
                .dividedBy(Expr.select(isSteep, small.plus(large), large));
        Expr z = t.times(t);
        Expr rest = t.times(z).fma(Lower.polynomial(z, ATAN), t);
        Expr quarter = large.literal(Math.PI / 4);
        Expr a = Expr.select(isSteep, quarter.plus(rest.plus(large.literal(LOW / 2))), rest);
        return Expr.select(swapped, large.literal(Math.PI / 2).minus(a.minus(large.literal(LOW))), a);
    }

    static Expr asin(Expr x) {
        return atan2(x, leg(x));
    }

    static Expr acos(Expr x) {
        return atan2(leg(x), x);
    }

    /** {@code sqrt(1 - x^2)}; NaN outside [-1, 1]. */
    private static Expr leg(Expr x) {
        Expr one = x.literal(1);
        return one.minus(x).times(one.plus(x)).sqrt();
    }
}
