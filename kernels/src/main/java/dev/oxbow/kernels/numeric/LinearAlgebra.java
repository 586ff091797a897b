package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/**
 * Decompositions of and systems with batches of matrices (the last two dimensions), floating and complex; computed in
 * f64.
 */
public final class LinearAlgebra {
    private LinearAlgebra() {}

    /** {@code lu} = L without its unit diagonal, and U; {@code p} = the row of {@code a} that became each row. */
    public static void lu(Tensor a, Tensor lu, Tensor p, Parallel parallel) {
        batches(Batches.count(a, lu, p), parallel, i -> {
            Lu f = new Lu(Matrix.read(a, i));
            require(!f.isSingular(), INVALID_ARGUMENT, "Input is not invertible.");
            f.factors.write(lu, i);
            int n = f.permutation.length;
            for (int r = 0; r < n; r++) p.setLong(i * n + r, f.permutation[r]);
        });
    }

    /** {@code x} of {@code a x = b}, or of {@code a* x = b}. */
    public static void solve(Tensor a, Tensor b, boolean adjoint, Tensor x, Parallel parallel) {
        batches(Batches.count(a, x), parallel, i -> {
            Lu f = new Lu(Matrix.read(a, i));
            require(!f.isSingular(), INVALID_ARGUMENT, "Input matrix is not invertible.");
            f.solve(Matrix.read(b, i), adjoint).write(x, i);
        });
    }

    public static void inverse(Tensor a, boolean adjoint, Tensor x, Parallel parallel) {
        batches(Batches.count(a, x), parallel, i -> {
            Matrix m = Matrix.read(a, i);
            Lu f = new Lu(m);
            require(!f.isSingular(), INVALID_ARGUMENT, "Input is not invertible.");
            f.solve(Matrix.identity(m.rows, m.rows), adjoint).write(x, i);
        });
    }

    public static void determinant(Tensor a, Tensor d, Parallel parallel) {
        batches(Batches.count(a, d), parallel, i -> {
            double[] x = new Lu(Matrix.read(a, i)).determinant();
            Matrix.put(d, i, x[0], x[1]);
        });
    }

    /** The determinant is {@code sign * exp(log)}. */
    public static void logDeterminant(Tensor a, Tensor sign, Tensor log, Parallel parallel) {
        batches(Batches.count(a, sign, log), parallel, i -> {
            double[] x = new Lu(Matrix.read(a, i)).logDeterminant();
            Matrix.put(sign, i, x[0], x[1]);
            Matrix.put(log, i, x[2], 0);
        });
    }

    /**
     * {@code x} of {@code a x = b} for a triangular {@code a}, of which the other triangle is not read; batch
     * dimensions broadcast.
     */
    public static void triangularSolve(
            Tensor a, Tensor b, boolean lower, boolean adjoint, Tensor x, Parallel parallel) {
        parallel.run(Batches.count(x, x), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Matrix m = Matrix.read(a, Batches.offset(a.shape(), x.shape(), i)),
                        y = Matrix.read(b, Batches.offset(b.shape(), x.shape(), i));
                for (int d = 0; d < m.rows; d++)
                    require(m.abs(d, d) != 0, INVALID_ARGUMENT, "Input matrix is not invertible.");
                Triangular.solve(m, y, lower, adjoint, false);
                y.write(x, i);
            }
        });
    }

    /** {@code l} lower triangular with {@code l l* = a}; only the lower triangle of {@code a} is read. NaN where there is none. */
    public static void cholesky(Tensor a, Tensor l, Parallel parallel) {
        batches(Batches.count(a, l), parallel, i -> {
            Matrix m = Matrix.read(a, i), r = new Matrix(m.rows, m.rows);
            for (int j = 0; j < m.rows; j++) {
                double d = m.real(j, j);
                for (int k = 0; k < j; k++) d -= r.abs(j, k) * r.abs(j, k);
                if (!(d > 0)) {
                    Arrays.fill(r.values, Double.NaN);
                    break;
                }
                r.set(j, j, Math.sqrt(d), 0);
                for (int row = j + 1; row < m.rows; row++) {
                    r.set(row, j, m.real(row, j), m.imaginary(row, j));
                    for (int k = 0; k < j; k++) r.subtract(row, j, r.real(row, k), r.imaginary(row, k), r, j, k, true);
                    r.divide(row, j, r, j, j, false);
                }
            }
            r.write(l, i);
        });
    }

    /** {@code q r = a} with unitary q; their sizes say whether they are full or reduced. */
    public static void qr(Tensor a, Tensor q, Tensor r, Parallel parallel) {
        batches(Batches.count(a, q, r), parallel, i -> {
            Householder f = new Householder(Matrix.read(a, i), false);
            f.q((int) q.shape().dim(-1)).write(q, i);
            f.r((int) r.shape().dim(-2)).write(r, i);
        });
    }

    /** {@code u diag(s) v* = a}, s descending; {@code u} and {@code v} may both be null. */
    public static void svd(Tensor a, Tensor s, Tensor u, Tensor v, Parallel parallel) {
        boolean full = u != null
                && (u.shape().dim(-1) == a.shape().dim(-2)
                        && v.shape().dim(-1) == a.shape().dim(-1));
        batches(Batches.count(a, s, u, v), parallel, i -> {
            JacobiSvd f = new JacobiSvd(Matrix.read(a, i), full);
            int n = f.values.length;
            for (int k = 0; k < n; k++) Matrix.put(s, i * n + k, f.values[k], 0);
            if (u == null) return;
            f.u.write(u, i);
            f.v.write(v, i);
        });
    }

    /** Eigenvalues {@code e}, ascending, and eigenvectors {@code v} as columns (or null) of Hermitian matrices. */
    public static void selfAdjointEigen(Tensor a, Tensor e, Tensor v, Parallel parallel) {
        batches(Batches.count(a, e, v), parallel, i -> {
            HermitianEigen f = new HermitianEigen(Matrix.read(a, i));
            int n = f.values.length;
            for (int k = 0; k < n; k++) Matrix.put(e, i * n + k, f.values[k], 0);
            if (v != null) f.vectors.write(v, i);
        });
    }

    private interface One {
        void run(long index);
    }

    private static void batches(long count, Parallel parallel, One one) {
        parallel.run(count, 1, (from, to) -> {
            for (long i = from; i < to; i++) one.run(i);
        });
    }
}
