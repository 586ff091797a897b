package dev.oxbow.kernels.expr.special;

/** Inverses of the error functions, by Halley's iteration on the incomplete gamma function. */
final class InverseErrors {
    private static final double TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

    private InverseErrors() {}

    static double erfinv(double x) {
        double m = Math.abs(x);
        if (!(m <= 1)) return Double.NaN;
        if (m == 1) return Math.copySign(Double.POSITIVE_INFINITY, x);
        if (m < 1e-8) return x / TWO_OVER_ROOT_PI;
        double y = m < 0.5 ? small(m) : upper(1 - m);
        return Math.copySign(y, x);
    }

    static double normalQuantile(double p) {
        if (!(p >= 0 && p <= 1)) return Double.NaN;
        if (p == 0 || p == 1) return p == 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        if (p > 0.25 && p < 0.75) return Math.sqrt(2) * erfinv(2 * p - 1);
        return p < 0.5 ? -Math.sqrt(2) * upper(2 * p) : Math.sqrt(2) * upper(2 * (1 - p));
    }

    private static double small(double x) {
        double y = x / TWO_OVER_ROOT_PI;
        for (int i = 0; i < 6; i++) y = improved(y, IncompleteGamma.lower(0.5, y * y) - x, 1);
        return y;
    }

    /** The y for which erfc(y) is {@code q}, at most 1. */
    private static double upper(double q) {
        double t = Math.sqrt(-2 * StrictMath.log(q / 2));
        double y = Math.max(0.1, (t - 2.5 / (1 + 0.3 * t)) / Math.sqrt(2));
        for (int i = 0; i < 12; i++) {
            double next = improved(y, IncompleteGamma.upper(0.5, y * y) - q, -1);
            if (Math.abs(next - y) <= 0x1p-53 * y) return next;
            y = next;
        }
        return y;
    }

    private static double improved(double y, double error, double sign) {
        double u = error / (sign * TWO_OVER_ROOT_PI * StrictMath.exp(-y * y));
        return y - u / (1 + y * u);
    }
}
