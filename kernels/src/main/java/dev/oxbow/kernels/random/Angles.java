package dev.oxbow.kernels.random;

/** Sine, cosine and logarithm on the ranges that Box and Muller need, good to 1e-13, for results rounded to f32. */
final class Angles {

    /*
     * Sine and cosine are those of the distance to the nearest multiple of a quarter turn, by their series; the
     * logarithm of a number near 1 is 2 artanh((m - 1) / (m + 1)). Math's own cost five times as much, for digits
     * that rounding drops.
     */

    private static final double QUARTER_HIGH = 0x1.921fb544p0;
    private static final double QUARTER_LOW = 0x1.0b4611a6p-34;
    private static final long ROOT_HALF = 0x3fe6a09e667f3bcdL;

    private Angles() {}

    /** For x in [0, 7]. */
    static double sin(double x) {
        return turned(x, 0);
    }

    /** For x in [0, 7]. */
    static double cos(double x) {
        return turned(x, 1);
    }

    private static double turned(double x, int quarters) {
        int n = (int) (x * (2 / Math.PI) + 0.5);
        double r = x - n * QUARTER_HIGH - n * QUARTER_LOW;
        n += quarters;
        double y = (n & 1) == 0 ? sine(r, r * r) : cosine(r * r);
        return (n & 2) == 0 ? y : -y;
    }

    private static double sine(double r, double s) {
        double p = 1.0 / 6227020800.0;
        p = p * s - 1.0 / 39916800;
        p = p * s + 1.0 / 362880;
        p = p * s - 1.0 / 5040;
        p = p * s + 1.0 / 120;
        p = p * s - 1.0 / 6;
        return r + r * s * p;
    }

    private static double cosine(double s) {
        double p = -1.0 / 87178291200.0;
        p = p * s + 1.0 / 479001600;
        p = p * s - 1.0 / 3628800;
        p = p * s + 1.0 / 40320;
        p = p * s - 1.0 / 720;
        p = p * s + 1.0 / 24;
        return 1 - s * (0.5 - s * p);
    }

    /** For normal positive x. */
    static double log(double x) {
        long bits = Double.doubleToRawLongBits(x), shifted = bits - ROOT_HALF >> 52;
        double m = Double.longBitsToDouble(bits - (shifted << 52)), s = (m - 1) / (m + 1), t = s * s;
        double p = 1.0 / 17;
        p = p * t + 1.0 / 15;
        p = p * t + 1.0 / 13;
        p = p * t + 1.0 / 11;
        p = p * t + 1.0 / 9;
        p = p * t + 1.0 / 7;
        p = p * t + 1.0 / 5;
        p = p * t + 1.0 / 3;
        return shifted * 0.6931471805599453 + 2 * (s + s * t * p);
    }
}
