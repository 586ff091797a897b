package dev.oxbow.kernels.random;

/** {@code log(gamma(x))} for x >= 1 to double precision: Stirling's series after shifting x above 10. */
final class LogGamma {
    private LogGamma() {}

    static double of(double x) {
        double shift = 0;
        while (x < 10) shift += Math.log(x++);
        double z = 1 / (x * x);
        double series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / x;
        return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
    }
}
