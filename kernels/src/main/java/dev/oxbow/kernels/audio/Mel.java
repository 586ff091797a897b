package dev.oxbow.kernels.audio;

import java.util.Arrays;

/** Mel frequency coefficients of spectra: energies in bands as wide as ears hear them, in decibels, transformed by cosines. */
public final class Mel {
    private static final double FLOOR = 1e-12;
    private static final int OUTSIDE = -2;

    private final int bands;
    private final int first;
    private final int last;
    private final int[] band;
    private final double[] weights;
    private final double[][] cosines;
    private final double[] energies;

    /** For spectra of so many frequencies, up to half of the rate. */
    public Mel(int frequencies, double rate, double lower, double upper, int bands, int coefficients) {
        this.bands = bands;
        double low = mel(lower), spacing = (mel(upper) - low) / (bands + 1);
        double[] centers = new double[bands + 1];
        for (int i = 0; i <= bands; i++) centers[i] = low + spacing * (i + 1);
        double step = 0.5 * rate / (frequencies - 1);
        first = (int) (1.5 + lower / step);
        last = (int) (upper / step);
        band = new int[frequencies];
        weights = new double[frequencies];
        int b = 0;
        for (int i = 0; i < frequencies; i++) {
            double at = mel(i * step);
            if (i < first || i > last) {
                band[i] = OUTSIDE;
                continue;
            }
            while (b < bands && centers[b] < at) b++;
            band[i] = b - 1;
            weights[i] =
                    b > 0 ? (centers[b] - at) / (centers[b] - centers[b - 1]) : (centers[0] - at) / (centers[0] - low);
        }
        energies = new double[bands];
        cosines = new double[coefficients][bands];
        for (int i = 0; i < coefficients; i++)
            for (int j = 0; j < bands; j++)
                cosines[i][j] = Math.sqrt(2.0 / bands) * Math.cos(i * Math.PI / bands * (j + 0.5));
    }

    private static double mel(double frequency) {
        return 1127 * Math.log1p(frequency / 700);
    }

    /** Whether the highest frequency that is asked for is one of the spectrum. */
    public boolean fits() {
        return last < band.length;
    }

    /** The coefficients of a spectrum of squared magnitudes. */
    public void coefficients(double[] spectrum, double[] to) {
        Arrays.fill(energies, 0);
        for (int i = first; i <= last; i++) {
            double value = Math.sqrt(spectrum[i]), part = value * weights[i];
            int b = band[i];
            if (b >= 0) energies[b] += part;
            if (b + 1 < bands) energies[b + 1] += value - part;
        }
        for (int i = 0; i < bands; i++) energies[i] = Math.log(Math.max(energies[i], FLOOR));
        for (int i = 0; i < to.length; i++) {
            to[i] = 0;
            for (int j = 0; j < bands; j++) to[i] += cosines[i][j] * energies[j];
        }
    }
}
