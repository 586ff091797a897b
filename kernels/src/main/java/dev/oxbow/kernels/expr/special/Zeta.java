package dev.oxbow.kernels.expr.special;

/** The Hurwitz zeta function and the derivatives of digamma, which it gives. */
final class Zeta {
    /** B(2j) / (2j)! from j = 1. */
    private static final double[] BERNOULLI = {
        1 / 12.0,
        -1 / 720.0,
        1 / 30240.0,
        -1 / 1209600.0,
        1 / 47900160.0,
        -5.284190138687493e-10,
        1.3382536530684679e-11,
        -3.3896802963225828e-13,
        8.586062056277845e-15,
        -2.174868698558062e-16
    };

    private Zeta() {}

    /** {@code B(2k) / (2k)!} for k from 1 to 10. */
    static double bernoulli(int k) {
        return BERNOULLI[k - 1];
    }

    /** {@code zeta(k) - 1} for a whole {@code k >= 2}. */
    static double zetaMinusOne(int k) {
        return hurwitz(k, 2);
    }

    /** The sum of {@code (q + n)^-x} over n from 0, by Euler and Maclaurin's formula after the first terms. */
    static double hurwitz(double x, double q) {
        if (Double.isNaN(x) || Double.isNaN(q)) return Double.NaN;
        if (x == 1) return Double.POSITIVE_INFINITY;
        if (x < 1) return Double.NaN;
        if (q <= 0) {
            if (q == Math.rint(q)) return Double.POSITIVE_INFINITY;
            if (x != Math.rint(x)) return Double.NaN;
        }
        if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * StrictMath.pow(q, 1 - x);
        double sum = 0, a = q;
        for (int n = 0; n < 12 || a <= 12; n++, a++) {
            double term = StrictMath.pow(a, -x);
            sum += term;
            if (Math.abs(term) < 1e-18 * Math.abs(sum) && a > 0) return sum;
        }
        double power = StrictMath.pow(a, -x);
        sum += power * a / (x - 1) + 0.5 * power;
        double factor = x * power / a;
        for (int j = 0; j < BERNOULLI.length; j++) {
            double term = BERNOULLI[j] * factor;
            sum += term;
            if (Math.abs(term) < 1e-18 * Math.abs(sum)) break;
            factor *= (x + 2 * j + 1) * (x + 2 * j + 2) / (a * a);
        }
        return sum;
    }

    /** The n-th derivative of digamma: {@code (-1)^(n+1) n! zeta(n + 1, x)}; NaN unless n is whole and not negative. */
    static double polygamma(double n, double x) {
        if (n < 0 || n != Math.rint(n)) return Double.NaN;
        if (n == 0) return Gamma.digamma(x);
        double value = StrictMath.exp(Gamma.logGamma(n + 1)) * hurwitz(n + 1, x);
        return n % 2 == 0 ? -value : value;
    }
}
