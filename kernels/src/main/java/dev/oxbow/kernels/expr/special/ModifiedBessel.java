package dev.oxbow.kernels.expr.special;

/** The modified Bessel functions I and K of orders 0 and 1, plain or scaled by exp(-|x|) and exp(x). */
final class ModifiedBessel {
    private ModifiedBessel() {}

    static double i(int order, double x, boolean scaled) {
        if (Double.isNaN(x)) return x;
        double m = Math.abs(x), value;
        if (m <= 30) {
            double term = order == 0 ? 1 : m / 2, sum = term;
            for (int k = 1; term > sum * 0x1p-54; k++) {
                term *= m * m / 4 / (k * (double) (k + order));
                sum += term;
            }
            value = scaled ? sum * StrictMath.exp(-m) : sum;
        } else {
            double half = StrictMath.exp(m / 2), tail = asymptotic(order, -m) / Math.sqrt(2 * Math.PI * m);
            value = scaled ? tail : tail * half * half;
        }
        return order == 1 ? Math.copySign(value, x) : value;
    }

    /** The sum of {@code (4n^2 - 1)(4n^2 - 9)... / (k! (8x)^k)}, until its terms grow. */
    private static double asymptotic(int order, double x) {
        double mu = 4 * order * order, term = 1, sum = 1;
        for (int k = 1; k < 60; k++) {
            double next = term * (mu - (2 * k - 1) * (2 * k - 1)) / (k * 8 * x);
            if (Math.abs(next) >= Math.abs(term)) break;
            sum += next;
            term = next;
        }
        return sum;
    }

    /** By the trapezoidal rule, which converges exponentially, on {@code exp(-x (cosh t - 1)) cosh(nt)}. */
    static double k(int order, double x, boolean scaled) {
        if (Double.isNaN(x) || x < 0) return Double.NaN;
        if (x == 0) return Double.POSITIVE_INFINITY;
        if (Double.isInfinite(x)) return 0;
        double h = Math.min(0.125, 0.7 / Math.sqrt(x)), sum = 0.5;
        for (int n = 1; ; n++) {
            double t = n * h, s = StrictMath.sinh(t / 2), growth = order * t;
            // cosh(t) = (e^t + e^-t) / 2, with e^t in the exponent: alone it would overflow for small x.
            double term = StrictMath.exp(growth - 2 * x * s * s) * (order == 0 ? 1 : (1 + StrictMath.exp(-2 * t)) / 2);
            sum += term;
            if (2 * x * s * s > growth + 1 && term < sum * 0x1p-56) break;
        }
        return scaled ? sum * h : sum * h * StrictMath.exp(-x);
    }
}
