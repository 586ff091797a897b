package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;

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
        long c = x.shape().dim(-1), rows = c == 0 ? 0 : x.size() / c;
        parallel.run(rows, Math.max(1, (1 << 10) / Math.max(1, c)), (from, to) -> {
            for (long at = from * c; at < to * c; at += c) {
                for (long i = 0; i < c; i++) y.set(at + i, x.getDouble(at + i) * Math.pow(norm(x, at, i, c), -beta));
            }
        });
    }

    /**
     * {@code dx[k] = sum of dy[j] * (norm[j]^-beta if j == k - 2 alpha beta x[k] y[j] / norm[j])} over j within the
     * radius.
     */
    public void gradient(Tensor dy, Tensor x, Tensor y, Tensor dx, Parallel parallel) {
        long c = x.shape().dim(-1), rows = c == 0 ? 0 : x.size() / c;
        parallel.run(rows, Math.max(1, (1 << 10) / Math.max(1, c)), (from, to) -> {
            double[] sum = new double[Math.toIntExact(c)];
            for (long at = from * c; at < to * c; at += c) {
                java.util.Arrays.fill(sum, 0);
                for (long j = 0; j < c; j++) {
                    double g = dy.getDouble(at + j), norm = norm(x, at, j, c);
                    double common = -2 * alpha * beta * y.getDouble(at + j) / norm * g;
                    for (long k = Math.max(0, j - radius); k < Math.min(c, j + radius + 1); k++)
                        sum[(int) k] += common * x.getDouble(at + k);
                    sum[(int) j] += g * Math.pow(norm, -beta);
                }
                for (int k = 0; k < c; k++) dx.set(at + k, sum[k]);
            }
        });
    }

    private double norm(Tensor x, long at, long j, long c) {
        double sum = 0;
        for (long k = Math.max(0, j - radius); k < Math.min(c, j + radius + 1); k++)
            sum += x.getDouble(at + k) * x.getDouble(at + k);
        return bias + alpha * sum;
    }
}
