package dev.oxbow.kernels.expr.special;

/** The logarithm of the gamma function and its first derivative. */
final class Gamma {

    /*
     * Both recur: what lies below 10 is brought above it by products or sums of reciprocals, where
     * Stirling's series in 1 / x^2 is exact to double precision. Negative arguments are reflected.
     */

    private static final double HALF_LOG_TWO_PI = 0.9189385332046727418;
    /** B(2k) / (2k (2k - 1)) from k = 1. */
    private static final double[] STIRLING = {
        1 / 12.0, -1 / 360.0, 1 / 1260.0, -1 / 1680.0, 1 / 1188.0, -691 / 360360.0, 1 / 156.0, -3617 / 122400.0
    };
    /** B(2k) / 2k from k = 1. */
    private static final double[] DIGAMMA_TAIL = {
        1 / 12.0, -1 / 120.0, 1 / 252.0, -1 / 240.0, 1 / 132.0, -691 / 32760.0, 1 / 12.0, -3617 / 8160.0
    };

    private Gamma() {}

    static double logGamma(double x) {
        if (Double.isNaN(x)) return x;
        if (Double.isInfinite(x)) return Double.POSITIVE_INFINITY;
        if (x <= 0) {
            if (x == Math.rint(x)) return Double.POSITIVE_INFINITY;
            return StrictMath.log(Math.PI / Math.abs(sinPi(x))) - logGamma(1 - x);
        }
        if (x == 1 || x == 2) return 0;
        if (Math.abs(x - 1) < 0.25) return nearOne(x - 1);
        if (Math.abs(x - 2) < 0.25) return StrictMath.log1p(x - 2) + nearOne(x - 2);
        double product = 1, z = x;
        for (; z < 10; z++) product *= z;
        return stirling(z) - StrictMath.log(product);
    }

    private static double stirling(double x) {
        double w = 1 / (x * x), sum = 0;
        for (int k = STIRLING.length - 1; k >= 0; k--) sum = sum * w + STIRLING[k];
        return (x - 0.5) * StrictMath.log(x) - x + HALF_LOG_TWO_PI + sum / x;
    }

    /** {@code log gamma(1 + e) = -log1p(e) + e (1 - euler) + sum of (-1)^k (zeta(k) - 1) e^k / k}, for small e. */
    private static double nearOne(double e) {
        double sum = 0, power = e;
        for (int k = 2; k < 60; k++) {
            power *= -e;
            double term = Zeta.zetaMinusOne(k) * power / k;
            sum -= term;
            if (Math.abs(term) < 1e-18 * Math.abs(sum)) break;
        }
        return -StrictMath.log1p(e) + e * (1 - 0.57721566490153286061) + sum;
    }

    static double digamma(double x) {
        if (Double.isNaN(x) || x == Double.POSITIVE_INFINITY) return x;
        if (x == 0) return Math.copySign(Double.POSITIVE_INFINITY, -x);
        if (x < 0) {
            if (x == Math.rint(x)) return Double.NaN;
            double fraction = x - Math.rint(x);
            return digamma(1 - x) - Math.PI / StrictMath.tan(Math.PI * fraction);
        }
        double sum = 0, z = x;
        for (; z < 10; z++) sum -= 1 / z;
        double w = 1 / (z * z), tail = 0;
        for (int k = DIGAMMA_TAIL.length - 1; k >= 0; k--) tail = tail * w + DIGAMMA_TAIL[k];
        return sum + StrictMath.log(z) - 0.5 / z - tail * w;
    }

    /** {@code sin(pi x)} without the error of multiplying a large argument by pi. */
    static double sinPi(double x) {
        double r = x - 2 * Math.rint(x / 2);
        return StrictMath.sin(Math.PI * r);
    }
}
