package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;

/** erf of f32 and f64 values to 4 units in the last place, erfc of f64 values to 6. */
final class ErrorFunctions {

    /*
     * Below 1, erf(x) / x is a Chebyshev fit in x^2. Above, erfc(x) = exp(-x^2) g(t) / (1 + 2x), where g is
     * a fit in t = (x - 4) / (x + 4), which brings [1, 28] to an interval within (-1, 1); beyond 28 erfc is 0. The
     * part of x^2 that rounding loses is put back as a factor 1 - lost, or the exponential would be off by
     * hundreds of units. In f32, erf(x) / x - 1 below 1 and -log(erfc(x)) above are minimax fits in x^2 and in x;
     * from 4 on erf is 1.
     */

    private static final double[] SMALL32 = {
        7.853860916166672e-05,
        -0.0008010193493740181,
        0.005188327670856757,
        -0.026853811927495048,
        0.11283585148427343,
        -0.37612625824216395,
        0.1283791657267073
    };
    private static final double[] LARGE32 = {
        -0.00019821972595505672,
        0.0030654909318188458,
        -0.022315215320064533,
        0.10411368288049701,
        0.6369760790811083,
        1.1277972447457998,
        0.0001664471618969543
    };

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
        if (x.dtype() == DType.F32) return erf32(x);
        Expr m = x.abs(), one = x.literal(1);
        Expr large = Bits.withSignOf(x, one.minus(upper(m)).abs());
        return Expr.select(m.lessEqual(one), small(x), large);
    }

    private static Expr erf32(Expr x) {
        Expr m = x.abs(), one = x.literal(1), four = x.literal(4);
        Expr small = x.fma(Lower.polynomial(x.times(x), SMALL32), x);
        Expr limited = Expr.select(m.greater(four), four, m);
        Expr large = one.minus(Lower.polynomial(limited, LARGE32).negated().exp());
        return Expr.select(m.lessEqual(one), small, Bits.withSignOf(x, large));
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
