package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Accumulators of real floating values, in f64. */
final class DoubleAccumulators implements Accumulators {
    private static final int LANES = 32;

    private final Reduction.Operation operation;
    private final double[] values;

    DoubleAccumulators(Reduction.Operation operation, int n) {
        this.operation = operation;
        this.values = new double[n];
        double start = switch (operation) {
            case PROD -> 1;
            case MAX -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
            default -> 0;
        };
        if (start != 0) Arrays.fill(values, start);
    }

    @Override
    public Accumulators empty(int n) {
        return new DoubleAccumulators(operation, n);
    }

    @Override
    public void run(MappedInput in, int out, int at, int n) {
        double[] x = in.doubles();
        double r = switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> sum(x, at, n);
            case PROD -> product(x, at, n);
            case MAX, ANY -> max(x, at, n);
            case MIN, ALL -> min(x, at, n);
        };
        values[out] = combined(values[out], r);
    }

    private double combined(double a, double b) {
        return switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> a + b;
            case PROD -> a * b;
            case MAX, ANY -> Math.max(a, b);
            case MIN, ALL -> Math.min(a, b);
        };
    }

    @Override
    public void columns(MappedInput in, int out, int at, int n) {
        combine(values, out, in.doubles(), at, n);
    }

    @Override
    public void merge(Accumulators later) {
        combine(values, 0, ((DoubleAccumulators) later).values, 0, values.length);
    }

    @Override
    public void mergeValue(int out, Accumulators later) {
        values[out] = combined(values[out], ((DoubleAccumulators) later).values[0]);
    }

    private void combine(double[] r, int to, double[] x, int at, int n) {
        switch (operation) {
            case SUM, MEAN, EUCLIDEAN_NORM -> addAll(r, to, x, at, n);
            case PROD -> multiplyAll(r, to, x, at, n);
            case MAX, ANY -> maxAll(r, to, x, at, n);
            case MIN, ALL -> minAll(r, to, x, at, n);
        }
    }

    private static void addAll(double[] r, int to, double[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = r[to + i] + x[at + i];
    }

    private static void multiplyAll(double[] r, int to, double[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = r[to + i] * x[at + i];
    }

    private static void maxAll(double[] r, int to, double[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = Math.max(r[to + i], x[at + i]);
    }

    private static void minAll(double[] r, int to, double[] x, int at, int n) {
        for (int i = 0; i < n; i++) r[to + i] = Math.min(r[to + i], x[at + i]);
    }

    private static double sum(double[] x, int at, int n) {
        if (n < 2 * LANES) {
            double r = x[at];
            for (int i = 1; i < n; i++) r = r + x[at + i];
            return r;
        }
        double[] lanes = new double[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) addAll(lanes, 0, x, at + i, LANES);
        addAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) addAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static double product(double[] x, int at, int n) {
        if (n < 2 * LANES) {
            double r = x[at];
            for (int i = 1; i < n; i++) r = r * x[at + i];
            return r;
        }
        double[] lanes = new double[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) multiplyAll(lanes, 0, x, at + i, LANES);
        multiplyAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) multiplyAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static double max(double[] x, int at, int n) {
        if (n < 2 * LANES) {
            double r = x[at];
            for (int i = 1; i < n; i++) r = Math.max(r, x[at + i]);
            return r;
        }
        double[] lanes = new double[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) maxAll(lanes, 0, x, at + i, LANES);
        maxAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) maxAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    private static double min(double[] x, int at, int n) {
        if (n < 2 * LANES) {
            double r = x[at];
            for (int i = 1; i < n; i++) r = Math.min(r, x[at + i]);
            return r;
        }
        double[] lanes = new double[LANES];
        System.arraycopy(x, at, lanes, 0, LANES);
        int whole = n / LANES * LANES;
        for (int i = LANES; i < whole; i += LANES) minAll(lanes, 0, x, at + i, LANES);
        minAll(lanes, 0, x, at + whole, n - whole);
        for (int half = LANES / 2; half > 0; half /= 2) minAll(lanes, 0, lanes, half, half);
        return lanes[0];
    }

    @Override
    public void store(Tensor output, long at, long count) {
        for (int i = 0; i < values.length; i++) {
            double v = switch (operation) {
                case MEAN -> values[i] / count;
                case EUCLIDEAN_NORM -> Math.sqrt(values[i]);
                default -> values[i];
            };
            output.set(at + i, v);
        }
    }
}
