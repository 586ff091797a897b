package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;

/** Systems with tridiagonal matrices, given as [..., 3, n]: superdiagonal, diagonal, subdiagonal. */
public final class Tridiagonal {
    private Tridiagonal() {}

    /** {@code x} of {@code a x = b} for {@code b} of [..., n, k]; without pivoting by Thomas's algorithm. */
    public static void solve(Tensor diagonals, Tensor b, boolean pivoting, Tensor x, Parallel parallel) {
        int n = Counts.toInt(diagonals.shape().dim(-1));
        parallel.run(Batches.count(b, x), 1, (from, to) -> {
            for (long i = from; i < to; i++)
                solve(Matrix.read(diagonals, i), Matrix.read(b, i), pivoting, n).write(x, i);
        });
    }

    /** {@code y[i] = sup[i] x[i + 1] + main[i] x[i] + sub[i] x[i - 1]} with diagonals of [..., 1, n]. */
    public static void multiply(Tensor sup, Tensor main, Tensor sub, Tensor x, Tensor y, Parallel parallel) {
        parallel.run(Batches.count(x, y), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Matrix u = Matrix.read(sup, i), d = Matrix.read(main, i), l = Matrix.read(sub, i);
                Matrix m = Matrix.read(x, i), z = new Matrix(m.rows, m.columns);
                for (int r = 0; r < m.rows; r++) {
                    for (int c = 0; c < m.columns; c++) {
                        z.subtract(r, c, -d.real(0, r), -d.imaginary(0, r), m, r, c, false);
                        if (r > 0) z.subtract(r, c, -l.real(0, r), -l.imaginary(0, r), m, r - 1, c, false);
                        if (r < m.rows - 1) z.subtract(r, c, -u.real(0, r), -u.imaginary(0, r), m, r + 1, c, false);
                    }
                }
                z.write(y, i);
            }
        });
    }

    /** Elimination keeps two superdiagonals, since swapping rows fills in the second. */
    private static Matrix solve(Matrix d, Matrix x, boolean pivoting, int n) {
        Matrix u = new Matrix(n, 3);
        for (int i = 0; i < n; i++) {
            u.set(i, 0, d.real(1, i), d.imaginary(1, i));
            if (i < n - 1) u.set(i, 1, d.real(0, i), d.imaginary(0, i));
        }
        for (int i = 0; i < n - 1; i++) {
            Matrix below = new Matrix(1, 3);
            below.set(0, 0, d.real(2, i + 1), d.imaginary(2, i + 1));
            below.set(0, 1, u.real(i + 1, 0), u.imaginary(i + 1, 0));
            below.set(0, 2, u.real(i + 1, 1), u.imaginary(i + 1, 1));
            if (pivoting && below.abs(0, 0) > u.abs(i, 0)) {
                for (int j = 0; j < 3; j++) {
                    double re = u.real(i, j), im = u.imaginary(i, j);
                    u.set(i, j, below.real(0, j), below.imaginary(0, j));
                    below.set(0, j, re, im);
                }
                x.swapRows(i, i + 1);
            }
            check(u.abs(i, 0) != 0, pivoting);
            below.divide(0, 0, u, i, 0, false);
            double re = below.real(0, 0), im = below.imaginary(0, 0);
            for (int j = 1; j < 3; j++) {
                below.subtract(0, j, re, im, u, i, j, false);
                u.set(i + 1, j - 1, below.real(0, j), below.imaginary(0, j));
            }
            for (int c = 0; c < x.columns; c++) x.subtract(i + 1, c, re, im, x, i, c, false);
        }
        if (n > 0) check(u.abs(n - 1, 0) != 0, pivoting);
        for (int i = n - 1; i >= 0; i--) {
            for (int c = 0; c < x.columns; c++) {
                for (int j = 1; j < 3 && i + j < n; j++)
                    x.subtract(i, c, u.real(i, j), u.imaginary(i, j), x, i + j, c, false);
                x.divide(i, c, u, i, 0, false);
            }
        }
        return x;
    }

    private static void check(boolean regular, boolean pivoting) {
        require(
                regular,
                INVALID_ARGUMENT,
                pivoting
                        ? "TridiagonalSolve: the matrix is not invertible."
                        : "TridiagonalSolve: the matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True.");
    }
}
