package dev.oxbow.benchmarks;

import java.nio.FloatBuffer;

/** Two numbers that tell arrays apart: the root of the mean square, and a mean weighted by position. */
final class Sums {
    private static final int PERIOD = 1009;

    private Sums() {}

    static double[] of(float[] values) {
        return of(FloatBuffer.wrap(values));
    }

    static double[] of(FloatBuffer values) {
        double squares = 0, weighted = 0;
        int n = values.remaining();
        for (int i = 0; i < n; i++) {
            double v = values.get(i);
            squares += v * v;
            weighted += v * (i % PERIOD + 1);
        }
        return new double[] {Math.sqrt(squares / n), weighted / n};
    }
}
