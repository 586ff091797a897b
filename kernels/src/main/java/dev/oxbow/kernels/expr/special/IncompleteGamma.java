package dev.oxbow.kernels.expr.special;

/** The regularised incomplete gamma functions and their derivative by the first argument. */
final class IncompleteGamma {
    private static final double EPSILON = 0x1p-53;
    private static final int MOST_TERMS = 100_000;

    private IncompleteGamma() {}

    static double lower(double a, double x) {
        if (Double.isNaN(a) || Double.isNaN(x) || a < 0 || x < 0) return Double.NaN;
        if (a == 0) return x > 0 ? 1 : Double.NaN;
        if (x == 0) return 0;
        if (Double.isInfinite(a)) return Double.isInfinite(x) ? Double.NaN : 0;
        if (Double.isInfinite(x)) return 1;
        return x > 1 && x > a ? 1 - fraction(a, x) : series(a, x);
    }

    static double upper(double a, double x) {
        if (Double.isNaN(a) || Double.isNaN(x) || a < 0 || x < 0) return Double.NaN;
        if (a == 0) return x > 0 ? 0 : Double.NaN;
        if (x == 0) return 1;
        if (Double.isInfinite(a)) return Double.isInfinite(x) ? Double.NaN : 1;
        if (Double.isInfinite(x)) return 0;
        return x > 1 && x > a ? fraction(a, x) : 1 - series(a, x);
    }

    /** {@code x^a exp(-x) / gamma(a)}. */
    private static double density(double a, double x) {
        return StrictMath.exp(a * StrictMath.log(x) - x - Gamma.logGamma(a));
    }

    /** The lower function by its power series, whose terms are all positive. */
    private static double series(double a, double x) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < MOST_TERMS && term > sum * EPSILON; n++) {
            term *= x / (a + n);
            sum += term;
        }
        return sum * density(a, x);
    }

    /** The upper function by Legendre's continued fraction, evaluated by Lentz's method. */
    private static double fraction(double a, double x) {
        double tiny = 1e-300, b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
        for (int n = 1; n < MOST_TERMS; n++) {
            double numerator = -n * (n - a);
            b += 2;
            d = numerator * d + b;
            if (Math.abs(d) < tiny) d = tiny;
            c = b + numerator / c;
            if (Math.abs(c) < tiny) c = tiny;
            d = 1 / d;
            h *= d * c;
            if (Math.abs(d * c - 1) < EPSILON * 2) break;
        }
        return h * density(a, x);
    }

    /** The derivative of the lower function by a: its power series, differentiated term by term. */
    static double derivative(double a, double x) {
        if (Double.isNaN(a) || Double.isNaN(x) || a <= 0 || x < 0) return Double.NaN;
        if (x == 0 || Double.isInfinite(x) || Double.isInfinite(a)) return 0;
        double term = 1 / a, sum = term, slope = -1 / (a * a), slopes = slope;
        for (int n = 1; n < MOST_TERMS && (term > sum * EPSILON || Math.abs(slope) > Math.abs(slopes) * EPSILON); n++) {
            double ratio = x / (a + n);
            slope = slope * ratio - term * ratio / (a + n);
            term *= ratio;
            sum += term;
            slopes += slope;
        }
        return density(a, x) * (sum * (StrictMath.log(x) - Gamma.digamma(a)) + slopes);
    }

    static double sampleDerivative(double a, double x) {
        return -derivative(a, x) / (density(a, x) / x);
    }
}
