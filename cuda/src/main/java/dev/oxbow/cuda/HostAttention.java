package dev.oxbow.cuda;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;

/** Attention on the host, a head at a time, in f64: for shapes that cuDNN has no plan for, and to compare with. */
final class HostAttention {
    private final KernelContext c;
    private final double scale;
    private final boolean causal;
    private final int batch;
    private final int queries;
    private final int keys;
    private final int heads;
    private final int depth;
    private final int width;

    /** Of a kernel whose first inputs are q, k and v. */
    HostAttention(KernelContext c, double scale, boolean causal) {
        this.c = c;
        this.scale = scale;
        this.causal = causal;
        long[] q = c.input(0).shape().dims(),
                k = c.input(1).shape().dims(),
                v = c.input(2).shape().dims();
        this.batch = (int) q[0];
        this.queries = (int) q[1];
        this.heads = (int) q[2];
        this.depth = (int) q[3];
        this.keys = (int) k[1];
        this.width = (int) v[3];
    }

    /** The rows of one head. */
    private double[][] head(Tensor t, int b, int h, int rows, int columns) {
        double[][] all = new double[rows][columns];
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < columns; k++)
                all[i][k] = t.getDouble((((long) b * rows + i) * heads + h) * columns + k);
        return all;
    }

    private void put(double[][] all, Tensor t, int b, int h) {
        int rows = all.length, columns = rows == 0 ? 0 : all[0].length;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < columns; k++) t.set((((long) b * rows + i) * heads + h) * columns + k, all[i][k]);
    }

    /** Row times row. */
    private static double[][] products(double[][] a, double[][] b) {
        double[][] c = new double[a.length][b.length];
        for (int i = 0; i < a.length; i++)
            for (int k = 0; k < b.length; k++) {
                double sum = 0;
                for (int d = 0; d < a[i].length; d++) sum += a[i][d] * b[k][d];
                c[i][k] = sum;
            }
        return c;
    }

    private static double[][] transposed(double[][] a, int columns) {
        double[][] t = new double[columns][a.length];
        for (int i = 0; i < a.length; i++) for (int k = 0; k < columns; k++) t[k][i] = a[i][k];
        return t;
    }

    /** Turns scores into weights; the logarithm of each sum goes to {@code stats}, or comes from there. */
    private void weigh(double[][] scores, Tensor stats, long from, boolean known) {
        for (int i = 0; i < scores.length; i++) {
            int seen = causal ? Math.min(keys, i + 1) : keys;
            double most = Double.NEGATIVE_INFINITY, sum = 0;
            for (int k = 0; k < seen; k++) most = Math.max(most, scale * scores[i][k]);
            for (int k = 0; k < seen; k++) sum += Math.exp(scale * scores[i][k] - most);
            double log = known ? stats.getDouble(from + i) : most + Math.log(sum);
            if (!known) stats.set(from + i, log);
            for (int k = 0; k < keys; k++) scores[i][k] = k < seen ? Math.exp(scale * scores[i][k] - log) : 0;
        }
    }

    void forward() {
        for (int b = 0; b < batch; b++)
            for (int h = 0; h < heads; h++) {
                double[][] p = products(head(c.input(0), b, h, queries, depth), head(c.input(1), b, h, keys, depth));
                weigh(p, c.output(1), ((long) b * heads + h) * queries, false);
                double[][] v = transposed(head(c.input(2), b, h, keys, width), width);
                put(products(p, v), c.output(0), b, h);
            }
    }

    void backward() {
        for (int b = 0; b < batch; b++)
            for (int h = 0; h < heads; h++) {
                double[][] q = head(c.input(0), b, h, queries, depth), k = head(c.input(1), b, h, keys, depth);
                double[][] v = head(c.input(2), b, h, keys, width), y = head(c.input(3), b, h, queries, width);
                double[][] dy = head(c.input(5), b, h, queries, width), p = products(q, k);
                weigh(p, c.input(4), ((long) b * heads + h) * queries, true);
                put(products(transposed(p, keys), transposed(dy, width)), c.output(2), b, h);
                double[][] ds = products(dy, v);
                for (int i = 0; i < queries; i++) {
                    double sum = 0;
                    for (int d = 0; d < width; d++) sum += y[i][d] * dy[i][d];
                    for (int j = 0; j < keys; j++) ds[i][j] = scale * p[i][j] * (ds[i][j] - sum);
                }
                put(products(ds, transposed(k, depth)), c.output(0), b, h);
                put(products(transposed(ds, keys), transposed(q, depth)), c.output(1), b, h);
            }
    }
}
