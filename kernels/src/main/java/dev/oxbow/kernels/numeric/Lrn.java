package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Local response normalisation over channels: {@code y = x / (bias + alpha * sum of x^2 within the radius) ^ beta}. */
public final class Lrn {
    private final long radius;
    private final double bias;
    private final double alpha;
    private final double beta;

    public Lrn(long radius, double bias, double alpha, double beta) {
        this.radius = radius;
        this.bias = bias;
        this.alpha = alpha;
        this.beta = beta;
    }

    /** {@code x} has channels last. */
    public void forward(Tensor x, Tensor y, Parallel parallel) {
        int c = Counts.toInt(x.shape().dim(-1));
        long rows = c == 0 ? 0 : x.size() / c;
        parallel.run(rows, Math.max(1, (1 << 10) / Math.max(1, c)), (from, to) -> {
            double[] a = new double[c], squares = new double[c], norm = new double[c];
            for (long row = from; row < to; row++) {
                load(x, row * c, a);
                norms(a, squares, norm);
                for (int i = 0; i < c; i++) a[i] *= power(norm[i]);
                store(a, y, row * c);
            }
        });
    }

    /**
     * {@code dx[k] = sum of dy[j] * (norm[j]^-beta if j == k - 2 alpha beta x[k] y[j] / norm[j])} over j within the
     * radius.
     */
    public void gradient(Tensor dy, Tensor x, Tensor y, Tensor dx, Parallel parallel) {
        int c = Counts.toInt(x.shape().dim(-1));
        long rows = c == 0 ? 0 : x.size() / c;
        parallel.run(rows, Math.max(1, (1 << 10) / Math.max(1, c)), (from, to) -> {
            double[] a = new double[c], g = new double[c], b = new double[c], sum = new double[c];
            double[] squares = new double[c], norm = new double[c];
            for (long row = from; row < to; row++) {
                load(x, row * c, a);
                load(dy, row * c, g);
                load(y, row * c, b);
                norms(a, squares, norm);
                Arrays.fill(sum, 0);
                for (int j = 0; j < c; j++) {
                    double common = -2 * alpha * beta * b[j] / norm[j] * g[j];
                    for (int k = first(j); k < last(j, c); k++) sum[k] += common * a[k];
                    sum[j] += g[j] * power(norm[j]);
                }
                store(sum, dx, row * c);
            }
        });
    }

    private int first(int j) {
        return (int) Math.max(0, j - radius);
    }

    private int last(int j, int c) {
        return (int) Math.min(c, j + radius + 1);
    }

    private void norms(double[] x, double[] squares, double[] norm) {
        int c = x.length;
        for (int i = 0; i < c; i++) squares[i] = x[i] * x[i];
        for (int j = 0; j < c; j++) {
            double sum = 0;
            for (int k = first(j); k < last(j, c); k++) sum += squares[k];
            norm[j] = bias + alpha * sum;
        }
    }

    /** {@code norm ^ -beta}, by square roots for the exponents in common use. */
    private double power(double norm) {
        if (beta == 0.5) return 1 / Math.sqrt(norm);
        if (beta == 0.75) return 1 / (Math.sqrt(norm) * Math.sqrt(Math.sqrt(norm)));
        if (beta == 1) return 1 / norm;
        return Math.pow(norm, -beta);
    }

    private static void load(Tensor x, long at, double[] row) {
        if (x.dtype() == DType.F32)
            for (int i = 0; i < row.length; i++) row[i] = Memory.getFloat(x.address() + 4 * (at + i));
        else for (int i = 0; i < row.length; i++) row[i] = x.getDouble(at + i);
    }

    private static void store(double[] row, Tensor y, long at) {
        if (y.dtype() == DType.F32)
            for (int i = 0; i < row.length; i++) Memory.putFloat(y.address() + 4 * (at + i), (float) row[i]);
        else for (int i = 0; i < row.length; i++) y.set(at + i, row[i]);
    }
}
