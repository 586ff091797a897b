package dev.oxbow.kernels.expr.special;

/** The regularised incomplete beta function. */
final class IncompleteBeta {
    private static final int MOST_TERMS = 10_000;

    private IncompleteBeta() {}

    static double regularised(double a, double b, double x) {
        if (Double.isNaN(a) || Double.isNaN(b) || Double.isNaN(x)) return Double.NaN;
        if (a <= 0 || b <= 0 || x < 0 || x > 1) return Double.NaN;
        if (x == 0 || x == 1) return x;
        double logFront = Gamma.logGamma(a + b) - Gamma.logGamma(a) - Gamma.logGamma(b);
        double front = StrictMath.exp(logFront + a * StrictMath.log(x) + b * StrictMath.log1p(-x));
        // The fraction converges quickly below the mean; above it the other tail is taken.
        if (x < (a + 1) / (a + b + 2)) return front * fraction(a, b, x) / a;
        return 1 - front * fraction(b, a, 1 - x) / b;
    }

    /** The continued fraction of the function, by Lentz's method. */
    private static double fraction(double a, double b, double x) {
        double tiny = 1e-300, c = 1, d = 1 - (a + b) * x / (a + 1);
        d = 1 / (Math.abs(d) < tiny ? tiny : d);
        double h = d;
        for (int m = 1; m < MOST_TERMS; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            double before = h;
            for (double numerator : new double[] {even, odd}) {
                d = 1 + numerator * d;
                d = 1 / (Math.abs(d) < tiny ? tiny : d);
                c = 1 + numerator / c;
                if (Math.abs(c) < tiny) c = tiny;
                h *= c * d;
            }
            if (Math.abs(h - before) <= 0x1p-53 * Math.abs(h)) break;
        }
        return h;
    }
}
