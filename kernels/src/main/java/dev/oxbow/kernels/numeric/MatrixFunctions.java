package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** Functions and general eigenvalues of batches of square matrices, floating and complex; computed in f64. */
public final class MatrixFunctions {
    private MatrixFunctions() {}

    /** {@code y = exp(a)}: a Taylor series of the matrix scaled below norm 1/2, squared back. */
    public static void exponential(Tensor a, Tensor y, Parallel parallel) {
        each(a, y, parallel, m -> {
            int squarings = 0;
            for (double norm = norm(m); norm > 0.5 && squarings < 1100; norm /= 2) squarings++;
            Matrix x = scaled(m, Math.scalb(1.0, -squarings)), sum = Matrix.identity(m.rows, m.rows), term = sum;
            for (int k = 1; k <= 18; k++) {
                term = scaled(product(term, x), 1.0 / k);
                sum = sum(sum, term, 1);
            }
            for (int i = 0; i < squarings; i++) sum = product(sum, sum);
            return sum;
        });
    }

    /** {@code y y = a}, the principal root, by Schur's decomposition. */
    public static void squareRoot(Tensor a, Tensor y, Parallel parallel) {
        each(a, y, parallel, m -> {
            Schur s = new Schur(m);
            return product(product(s.u, rootOfTriangle(s.t)), s.u.adjoint());
        });
    }

    /**
     * {@code exp(y) = a}, the principal logarithm: roots of Schur's triangle until it is near the identity, where
     * {@code log(1 + x)} is the integral of {@code x / (1 + t x)} over t in [0, 1], by Gauss's rule with eight points.
     */
    public static void logarithm(Tensor a, Tensor y, Parallel parallel) {
        each(a, y, parallel, m -> {
            Schur s = new Schur(m);
            int n = m.rows, roots = 0;
            Matrix one = Matrix.identity(n, n), t = s.t, x = sum(t, one, -1);
            while (norm(x) > 0.25 && roots < 100) {
                t = rootOfTriangle(t);
                x = sum(t, one, -1);
                roots++;
            }
            Matrix log = new Matrix(n, n);
            for (int j = 0; j < GAUSS_POINTS.length; j++) {
                for (int sign = -1; sign <= 1; sign += 2) {
                    double at = (1 + sign * GAUSS_POINTS[j]) / 2;
                    Matrix part = new Lu(sum(one, x, at)).solve(x, false);
                    log = sum(log, part, GAUSS_WEIGHTS[j] / 2);
                }
            }
            return scaled(product(product(s.u, log), s.u.adjoint()), Math.scalb(1.0, roots));
        });
    }

    private static final double[] GAUSS_POINTS = {
        0.1834346424956498049, 0.5255324099163289858, 0.7966664774136267396, 0.9602898564975362317
    };
    private static final double[] GAUSS_WEIGHTS = {
        0.3626837833783619830, 0.3137066458778872873, 0.2223810344533744706, 0.1012285362903762592
    };

    /** Eigenvalues {@code e} and, unless null, eigenvectors {@code v} of length 1 as columns; both complex. */
    public static void eigen(Tensor a, Tensor e, Tensor v, Parallel parallel) {
        parallel.run(Batches.count(a, e, v), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Schur s = new Schur(Matrix.read(a, i));
                int n = s.t.rows;
                for (int k = 0; k < n; k++) Matrix.put(e, i * n + k, s.t.real(k, k), s.t.imaginary(k, k));
                if (v != null) product(s.u, vectors(s.t)).write(v, i);
            }
        });
    }

    /** The eigenvectors of an upper triangle by back substitution. */
    private static Matrix vectors(Matrix t) {
        int n = t.rows;
        Matrix v = new Matrix(n, n);
        double tiny = Math.ulp(Math.max(norm(t), Double.MIN_NORMAL));
        for (int k = 0; k < n; k++) {
            v.set(k, k, 1, 0);
            double length = 1;
            for (int i = k - 1; i >= 0; i--) {
                for (int j = i + 1; j <= k; j++) v.subtract(i, k, t.real(i, j), t.imaginary(i, j), v, j, k, false);
                double re = t.real(i, i) - t.real(k, k), im = t.imaginary(i, i) - t.imaginary(k, k);
                double[] q = Complex.divide(v.real(i, k), v.imaginary(i, k), Math.hypot(re, im) < tiny ? tiny : re, im);
                v.set(i, k, q[0], q[1]);
                length += q[0] * q[0] + q[1] * q[1];
            }
            for (int i = 0; i <= k; i++) v.scale(i, k, 1 / Math.sqrt(length), 0);
        }
        return v;
    }

    private static Matrix rootOfTriangle(Matrix t) {
        int n = t.rows;
        Matrix r = new Matrix(n, n);
        for (int j = 0; j < n; j++) {
            double[] root = Complex.sqrt(t.real(j, j), t.imaginary(j, j));
            r.set(j, j, root[0], root[1]);
            for (int i = j - 1; i >= 0; i--) {
                r.set(i, j, t.real(i, j), t.imaginary(i, j));
                for (int k = i + 1; k < j; k++) r.subtract(i, j, r.real(i, k), r.imaginary(i, k), r, k, j, false);
                if (r.real(i, j) == 0 && r.imaginary(i, j) == 0) continue;
                double[] q = Complex.divide(
                        r.real(i, j),
                        r.imaginary(i, j),
                        r.real(i, i) + r.real(j, j),
                        r.imaginary(i, i) + r.imaginary(j, j));
                r.set(i, j, q[0], q[1]);
            }
        }
        return r;
    }

    /**
     * {@code x} of least {@code |a x - b|^2 + l2 |x|^2}: by the normal equations when {@code fast}, else by singular
     * values, which gives the shortest of several.
     */
    public static void leastSquares(Tensor a, Tensor b, double l2, boolean fast, Tensor x, Parallel parallel) {
        parallel.run(Batches.count(a, x), 1, (from, to) -> {
            for (long i = from; i < to; i++)
                leastSquares(Matrix.read(a, i), Matrix.read(b, i), l2, fast).write(x, i);
        });
    }

    private static Matrix leastSquares(Matrix a, Matrix b, double l2, boolean fast) {
        if (a.rows == 0 || a.columns == 0) return new Matrix(a.columns, b.columns);
        Matrix adjoint = a.adjoint();
        if (!fast) {
            JacobiSvd f = new JacobiSvd(a, false);
            Matrix y = product(f.u.adjoint(), b);
            double cut = f.values[0] * Math.max(a.rows, a.columns) * Math.ulp(1.0);
            for (int r = 0; r < y.rows; r++)
                for (int c = 0; c < y.columns; c++) y.scale(r, c, f.values[r] > cut ? 1 / f.values[r] : 0, 0);
            return product(f.v, y);
        }
        boolean tall = a.rows >= a.columns;
        Matrix gram = tall ? product(adjoint, a) : product(a, adjoint);
        gram = sum(gram, Matrix.identity(gram.rows, gram.rows), l2);
        Lu f = new Lu(gram);
        double largest = 0, smallest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < gram.rows; i++) {
            largest = Math.max(largest, f.factors.abs(i, i));
            smallest = Math.min(smallest, f.factors.abs(i, i));
        }
        if (!(smallest > largest * gram.rows * Math.ulp(1.0)))
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer > 0.");
        return tall ? f.solve(product(adjoint, b), false) : product(adjoint, f.solve(b, false));
    }

    /** The gradient to a of {@code l l* = a}, symmetric: {@code l^-* half(l* dl) l^-1} made symmetric. */
    public static void choleskyGradient(Tensor l, Tensor dl, Tensor da, Parallel parallel) {
        parallel.run(Batches.count(l, da), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Matrix factor = Matrix.read(l, i);
                int n = factor.rows;
                for (int r = 0; r < n; r++) for (int c = r + 1; c < n; c++) factor.set(r, c, 0, 0);
                Matrix middle = product(factor.adjoint(), Matrix.read(dl, i));
                for (int r = 0; r < n; r++) {
                    middle.scale(r, r, 0.5, 0);
                    for (int c = r + 1; c < n; c++) middle.set(r, c, 0, 0);
                }
                Triangular.solve(factor, middle, true, true, false);
                Matrix rest = middle.adjoint();
                Triangular.solve(factor, rest, true, true, false);
                scaled(sum(rest, rest.adjoint(), 1), 0.5).write(da, i);
            }
        });
    }

    /**
     * {@code x} of {@code a x = b} for triangular a given by its bands [..., k, n]: for a lower one the diagonal first and
     * subdiagonals aligned right, for an upper one the diagonal last and superdiagonals aligned left.
     */
    public static void bandedSolve(
            Tensor bands, Tensor b, boolean lower, boolean adjoint, Tensor x, Parallel parallel) {
        parallel.run(Batches.count(x, x), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Matrix band = Matrix.read(bands, Batches.offset(bands.shape(), x.shape(), i)),
                        y = Matrix.read(b, Batches.offset(b.shape(), x.shape(), i));
                int n = band.columns, k = band.rows;
                Matrix a = new Matrix(n, n);
                for (int r = 0; r < n; r++) {
                    for (int d = 0; d < k; d++) {
                        int column = lower ? r - d : r + d, row = lower ? d : k - 1 - d;
                        if (column < 0 || column >= n) continue;
                        a.set(r, column, band.real(row, r), band.imaginary(row, r));
                    }
                    if (a.abs(r, r) == 0) throw new OxbowException(INVALID_ARGUMENT, "Input matrix is not invertible.");
                }
                Triangular.solve(a, y, lower, adjoint, false);
                y.write(x, i);
            }
        });
    }

    private interface Function {
        Matrix of(Matrix m);
    }

    private static void each(Tensor a, Tensor y, Parallel parallel, Function f) {
        parallel.run(Batches.count(a, y), 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Matrix m = Matrix.read(a, i);
                if (m.rows > 0) f.of(m).write(y, i);
            }
        });
    }

    static Matrix product(Matrix a, Matrix b) {
        Matrix c = new Matrix(a.rows, b.columns);
        for (int i = 0; i < a.rows; i++) {
            for (int k = 0; k < a.columns; k++) {
                double re = -a.real(i, k), im = -a.imaginary(i, k);
                if (re == 0 && im == 0) continue;
                for (int j = 0; j < b.columns; j++) c.subtract(i, j, re, im, b, k, j, false);
            }
        }
        return c;
    }

    /** {@code a + factor b}. */
    private static Matrix sum(Matrix a, Matrix b, double factor) {
        Matrix c = a.copy();
        for (int i = 0; i < c.values.length; i++) c.values[i] += factor * b.values[i];
        return c;
    }

    private static Matrix scaled(Matrix a, double factor) {
        Matrix c = a.copy();
        for (int i = 0; i < c.values.length; i++) c.values[i] *= factor;
        return c;
    }

    /** The largest sum of a row. */
    private static double norm(Matrix a) {
        double most = 0;
        for (int i = 0; i < a.rows; i++) {
            double sum = 0;
            for (int j = 0; j < a.columns; j++) sum += a.abs(i, j);
            most = Math.max(most, sum);
        }
        return most;
    }
}
