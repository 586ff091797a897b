package dev.oxbow.kernels.expr;

/** erf and erfc of f64 values, to 4 and 6 units in the last place. */
final class ErrorFunctions {

    /*
     * Below 1, erf(x) / x is a Chebyshev fit in x^2. Above, erfc(x) = exp(-x^2) g(t) / (1 + 2x), where g is
     * a fit in t = (x - 4) / (x + 4), which brings [1, 28] to an interval within (-1, 1); beyond 28 erfc is 0. The
     * part of x^2 that rounding loses is put back as a factor 1 - lost, or the exponential would be off by
     * hundreds of units.
     */

    private static final double[] SMALL = {
        -4.230945824295338e-12, 8.709045129053106e-11, -1.216456005728345e-09, 1.4792401209404813e-08,
        -1.6364642158167616e-07, 1.6462045441468418e-06, -1.4925647567519332e-05, 0.00012055332902888736,
        -0.000854832702193483, 0.0052239776254232985, -0.02686617064512984, 0.1128379167095512,
        -0.37612638903183754, 1.1283791670955126
    };
    private static final double[] LARGE = {
        -4.6953581615745365e-09,
        -1.857957861942796e-08,
        9.473438613574278e-08,
        7.978418524834236e-08,
        -8.134878514650079e-07,
        2.884969207854887e-07,
        5.70428716939898e-06,
        -1.121933376412479e-05,
        -2.4397635268586562e-05,
        0.00015062087513990392,
        -0.00019925699475102887,
        -0.0007577731425980049,
        0.005031970015129484,
        -0.016197734074054268,
        0.037167515534618514,
        -0.06633036581116722,
        0.0937328349984748,
        -0.10103906603633933,
        0.06809705425469012,
        0.015379652102620203,
        -0.1396211168405625,
        1.2329951186255526
    };

    private ErrorFunctions() {}

    static Expr erf(Expr x) {
        Expr m = x.abs(), one = x.literal(1);
        Expr large = Bits.withSignOf(x, one.minus(upper(m)).abs());
        return Expr.select(m.lessEqual(one), small(x), large);
    }

    static Expr erfc(Expr x) {
        Expr m = x.abs(), one = x.literal(1), tail = upper(m);
        Expr large = Expr.select(x.less(x.literal(0)), x.literal(2).minus(tail), tail);
        return Expr.select(m.lessEqual(one), one.minus(small(x)), large);
    }

    private static Expr small(Expr x) {
        return x.times(Lower.polynomial(x.times(x), SMALL));
    }

    /** erfc of {@code m >= 1}. */
    private static Expr upper(Expr m) {
        Expr x = m.min(m.literal(28)), four = x.literal(4), one = x.literal(1);
        Expr t = x.minus(four).dividedBy(x.plus(four));
        Expr square = x.times(x), lost = x.fma(x, square.negated());
        Expr e = square.negated().exp();
        Expr g = Lower.polynomial(t, LARGE).dividedBy(x.fma(x.literal(2), one));
        return e.minus(e.times(lost)).times(g);
    }
}
