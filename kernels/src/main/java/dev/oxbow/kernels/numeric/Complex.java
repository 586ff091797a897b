package dev.oxbow.kernels.numeric;

/** The few functions of complex numbers that decompositions need; a number is {real, imaginary}. */
final class Complex {
    private Complex() {}

    /** The principal square root. */
    static double[] sqrt(double re, double im) {
        double abs = Math.hypot(re, im);
        if (abs == 0) return new double[] {0, 0};
        double x = Math.sqrt((abs + Math.abs(re)) / 2), y = im / (2 * x);
        return re >= 0 ? new double[] {x, y} : new double[] {Math.abs(y), im < 0 ? -x : x};
    }

    static double[] divide(double ar, double ai, double br, double bi) {
        if (bi == 0) return new double[] {ar / br, ai / br};
        double norm = br * br + bi * bi;
        return new double[] {(ar * br + ai * bi) / norm, (ai * br - ar * bi) / norm};
    }
}
