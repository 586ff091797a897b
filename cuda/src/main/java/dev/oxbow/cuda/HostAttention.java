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

    /** How many tensors have queries, keys and values: three, or one that has all, which then is in three parts. */
    private final int tensors;

    private final int parts;

    /** Of a kernel whose first inputs are q, k and v, or all in one. */
    HostAttention(KernelContext c, double scale, boolean causal) {
        this.c = c;
        this.scale = scale;
        this.causal = causal;
        long[] q = c.input(0).shape().dims();
        this.parts = q.length == 5 ? 3 : 1;
        this.tensors = 3 / parts;
        this.batch = (int) q[0];
        this.queries = (int) q[1];
        this.heads = (int) q[q.length - 2];
        this.depth = (int) q[q.length - 1];
        this.keys = parts == 3 ? queries : (int) c.input(1).shape().dim(1);
    }

    /** The rows of one head of a tensor, of its {@code part}-th part of some. */
    private double[][] head(Tensor t, int b, int h, int rows, int part, int parts) {
        double[][] all = new double[rows][depth];
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < depth; k++) all[i][k] = t.getDouble(at(b, h, i, rows, part, parts) + k);
        return all;
    }

    private long at(int b, int h, int i, int rows, int part, int parts) {
        return ((((long) b * rows + i) * parts + part) * heads + h) * depth;
    }

    /** The rows of one head of the queries, keys or values. */
    private double[][] head(int number, int b, int h) {
        int rows = number == 0 ? queries : keys;
        return parts == 3 ? head(c.input(0), b, h, rows, number, 3) : head(c.input(number), b, h, rows, 0, 1);
    }

    private void put(double[][] all, Tensor t, int b, int h, int part, int parts) {
        for (int i = 0; i < all.length; i++)
            for (int k = 0; k < depth; k++) t.set(at(b, h, i, all.length, part, parts) + k, all[i][k]);
    }

    /** Puts the gradient of queries, keys or values there. */
    private void put(double[][] all, int number, int b, int h) {
        if (parts == 3) put(all, c.output(0), b, h, number, 3);
        else put(all, c.output(number), b, h, 0, 1);
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
                double[][] p = products(head(0, b, h), head(1, b, h));
                weigh(p, c.output(1), ((long) b * heads + h) * queries, false);
                put(products(p, transposed(head(2, b, h), depth)), c.output(0), b, h, 0, 1);
            }
    }

    void backward() {
        Tensor y = c.input(tensors), stats = c.input(tensors + 1), dy = c.input(tensors + 2);
        for (int b = 0; b < batch; b++)
            for (int h = 0; h < heads; h++) {
                double[][] q = head(0, b, h), k = head(1, b, h), v = head(2, b, h), p = products(q, k);
                double[][] one = head(y, b, h, queries, 0, 1), grown = head(dy, b, h, queries, 0, 1);
                weigh(p, stats, ((long) b * heads + h) * queries, true);
                put(products(transposed(p, keys), transposed(grown, depth)), 2, b, h);
                double[][] ds = products(grown, v);
                for (int i = 0; i < queries; i++) {
                    double sum = 0;
                    for (int d = 0; d < depth; d++) sum += one[i][d] * grown[i][d];
                    for (int j = 0; j < keys; j++) ds[i][j] = scale * p[i][j] * (ds[i][j] - sum);
                }
                put(products(ds, transposed(k, depth)), 0, b, h);
                put(products(transposed(ds, keys), transposed(q, depth)), 1, b, h);
            }
    }
}
