package dev.oxbow.kernels.expr.special;

/** Functions that are known as integrals: Dawson's, Fresnel's, the exponential integral, Spence's function. */
final class Integrals {
    private static final double EULER = 0.57721566490153286061;

    private Integrals() {}

    /** By Rybicki's sum of Gaussians at odd multiples of h, whose error is exp(-(pi / 2h)^2); a series near 0. */
    static double dawson(double x) {
        double m = Math.abs(x), h = 0.25;
        if (Double.isNaN(x)) return x;
        if (m < 0.2) {
            double term = x, sum = x;
            for (int k = 1; Math.abs(term) > 0x1p-54 * Math.abs(sum); k++) {
                term *= -2 * x * x / (2 * k + 1);
                sum += term;
            }
            return sum;
        }
        if (m > 1e7) return 0.5 / x;
        double nearest = 2 * Math.rint(m / (2 * h)), rest = m - nearest * h, sum = 0;
        for (int k = 27; k >= -27; k -= 2) {
            double d = rest - k * h;
            sum += StrictMath.exp(-d * d) / (nearest + k);
        }
        return Math.copySign(sum / Math.sqrt(Math.PI), x);
    }

    static double exponential(double x) {
        if (Double.isNaN(x) || x < 0) return Double.NaN;
        if (x == 0) return Double.NEGATIVE_INFINITY;
        if (Double.isInfinite(x)) return x;
        if (x > 40) {
            double term = 1, sum = 1;
            for (int k = 1; k < x; k++) {
                term *= k / x;
                sum += term;
                if (term < 0x1p-54) break;
            }
            return StrictMath.exp(x) / x * sum;
        }
        double term = 1, sum = 0;
        for (int k = 1; k < 200; k++) {
            term *= x / k;
            sum += term / k;
            if (term / k < 0x1p-54 * sum) break;
        }
        return EULER + StrictMath.log(x) + sum;
    }

    static double fresnelCos(double x) {
        return fresnel(x, false);
    }

    static double fresnelSin(double x) {
        return fresnel(x, true);
    }

    /** A power series below 1.5; above, auxiliary functions by the trapezoidal rule, which converges exponentially. */
    private static double fresnel(double x, boolean sin) {
        double z = Math.abs(x);
        if (Double.isNaN(x)) return x;
        if (z > 1e8) return Math.copySign(0.5, x);
        if (z < 1.5) {
            double t = Math.PI / 2 * z * z, term = sin ? t : 1, sum = sin ? t / 3 : 1;
            for (int k = sin ? 3 : 2; Math.abs(term) > 1e-18; k += 2) {
                term *= -t * t / (k * (double) (k - 1));
                sum += term / (2 * k + 1);
            }
            return x * sum;
        }
        double h = Math.min(0.1, 0.4 / z), f = 0.5, g = 0;
        for (int k = 1; k * h * z < 6; k++) {
            double s = k * h, weight = StrictMath.exp(-Math.PI / 2 * z * z * s * s) / (1 + s * s * s * s);
            f += weight;
            g += weight * s * s;
        }
        f *= h * Math.sqrt(2) / Math.PI;
        g *= h * Math.sqrt(2) / Math.PI;
        double turns = z * z % 4, low = Math.fma(z, z, -(z * z)), angle = Math.PI / 2 * (turns + low);
        double c = StrictMath.cos(angle), s = StrictMath.sin(angle);
        return Math.copySign(sin ? 0.5 - f * c - g * s : 0.5 + f * s - g * c, x);
    }

    /** Brought to [1/2, 2] by reflection, then a series in log x with Bernoulli's numbers. */
    static double spence(double x) {
        if (Double.isNaN(x) || x < 0) return Double.NaN;
        if (x == 0) return Math.PI * Math.PI / 6;
        if (Double.isInfinite(x)) return Double.NEGATIVE_INFINITY;
        double log = StrictMath.log(x);
        if (x > 2) return -spence(1 / x) - 0.5 * log * log;
        if (x < 0.5) return Math.PI * Math.PI / 6 - log * StrictMath.log1p(-x) - spence(1 - x);
        double u = -log, power = u, sum = u - u * u / 4;
        for (int k = 1; k <= 10; k++) {
            power *= u * u;
            sum += Zeta.bernoulli(k) * power / (2 * k + 1);
        }
        return sum;
    }
}
