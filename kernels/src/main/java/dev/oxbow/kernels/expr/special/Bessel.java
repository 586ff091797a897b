package dev.oxbow.kernels.expr.special;

/** The Bessel functions J and Y of orders 0 and 1. */
final class Bessel {

    /*
     * Below 25 all J(k) come from Miller's backward recurrence, scaled by J(0) + 2 J(2) + 2 J(4) + ... = 1, and Y from
     * Neumann's series in them. From 25 on, Hankel's expansion in 1 / x is exact to double precision.
     */

    private static final double EULER = 0.57721566490153286061;
    private static final double LARGE = 25;

    private Bessel() {}

    static double j0(double x) {
        double m = Math.abs(x);
        if (Double.isNaN(x)) return x;
        if (Double.isInfinite(x)) return 0;
        if (m < 1e-4) return 1 - m * m / 4;
        return m < LARGE ? all(m)[0] : hankel(0, m, false);
    }

    static double j1(double x) {
        double m = Math.abs(x);
        if (Double.isNaN(x)) return x;
        if (Double.isInfinite(x)) return 0;
        double y = m < 1e-4 ? m / 2 : m < LARGE ? all(m)[1] : hankel(1, m, false);
        return x < 0 ? -y : y;
    }

    static double y0(double x) {
        if (Double.isNaN(x) || x < 0) return Double.NaN;
        if (x == 0) return Double.NEGATIVE_INFINITY;
        if (Double.isInfinite(x)) return 0;
        if (x >= LARGE) return hankel(0, x, true);
        double log = StrictMath.log(x / 2) + EULER;
        if (x < 1e-4) return 2 / Math.PI * (log * (1 - x * x / 4) + x * x / 4);
        double[] j = all(x);
        double sum = 0;
        for (int k = j.length / 2 - 1; k >= 1; k--) sum += (k % 2 == 0 ? 1 : -1) * j[2 * k] / k;
        return 2 / Math.PI * log * j[0] - 4 / Math.PI * sum;
    }

    static double y1(double x) {
        if (Double.isNaN(x) || x < 0) return Double.NaN;
        if (x == 0) return Double.NEGATIVE_INFINITY;
        if (Double.isInfinite(x)) return 0;
        if (x >= LARGE) return hankel(1, x, true);
        double log = StrictMath.log(x / 2) + EULER;
        if (x < 1e-4) return -2 / (Math.PI * x) + x / Math.PI * (log - 0.5);
        double[] j = all(x);
        double sum = 0;
        for (int k = j.length / 2 - 1; k >= 1; k--) {
            sum += (k % 2 == 0 ? 1 : -1) * (j[2 * k - 1] - j[2 * k + 1]) / k;
        }
        return 2 / Math.PI * (log * j[1] - j[0] / x + sum);
    }

    /** J(0), J(1), ... of x, as many as count. */
    private static double[] all(double x) {
        int n = 2 * ((int) x / 2 + 20);
        double[] j = new double[n];
        double after = 0, here = 1e-280;
        for (int k = n + 10; k > 0; k--) {
            double before = 2 * k / x * here - after;
            after = here;
            here = before;
            if (k - 1 < n) j[k - 1] = here;
            if (Math.abs(here) > 1e200) {
                here *= 1e-200;
                after *= 1e-200;
                for (int i = Math.max(0, k - 1); i < n; i++) j[i] *= 1e-200;
            }
        }
        double norm = 0;
        for (int k = n - 2; k >= 2; k -= 2) norm += 2 * j[k];
        norm += j[0];
        for (int k = 0; k < n; k++) j[k] /= norm;
        return j;
    }

    /** {@code sqrt(2 / (pi x)) (P cos c - Q sin c)} with {@code c = x - (n/2 + 1/4) pi}, or for Y with sin and cos. */
    private static double hankel(int order, double x, boolean second) {
        double mu = 4 * order * order, term = 1, p = 1, q = 0;
        for (int k = 1; k < 60; k++) {
            double next = term * (mu - (2 * k - 1) * (2 * k - 1)) / (k * 8 * x);
            if (Math.abs(next) >= Math.abs(term) || next == 0) break;
            term = next;
            switch (k % 4) {
                case 1 -> q += term;
                case 2 -> p -= term;
                case 3 -> q -= term;
                default -> p += term;
            }
        }
        double s = StrictMath.sin(x), c = StrictMath.cos(x);
        double cos = order == 0 ? c + s : s - c, sin = order == 0 ? s - c : -(s + c);
        double scale = 1 / Math.sqrt(Math.PI * x);
        return second ? scale * (p * sin + q * cos) : scale * (p * cos - q * sin);
    }
}
