package dev.oxbow.kernels.numeric;

/** {@code A = U T U*} with unitary U and upper triangular T, for any complex square matrix. */
final class Schur {

    /*
     * Givens rotations make the matrix Hessenberg, then chase single shifts through it (Wilkinson's, and an exceptional
     * one after every ten that did not deflate), until every subdiagonal element is negligible. A shift is lost in rounding
     * on its way through several small subdiagonal elements, so it sets out behind the last two whose product is negligible
     * (as in LAPACK's zlahqr). What does not converge, such as a matrix with NaN, becomes NaN.
     */

    private static final double EPSILON = Math.ulp(1.0);
    private static final int MOST_ITERATIONS = 300;

    final Matrix t;
    final Matrix u;
    private final int n;

    Schur(Matrix a) {
        t = a.copy();
        n = a.rows;
        u = Matrix.identity(n, n);
        for (int k = 0; k < n - 2; k++) for (int i = n - 1; i > k + 1; i--) clear(i, k);
        int last = n - 1, iteration = 0;
        while (last > 0 && iteration < MOST_ITERATIONS) {
            int first = deflated(last);
            if (first == last) {
                last--;
                iteration = 0;
            } else {
                chase(first, last, ++iteration);
            }
        }
        if (last > 0) for (int i = 0; i < n; i++) for (int j = i; j < n; j++) t.set(i, j, Double.NaN, Double.NaN);
        for (int i = 1; i < n; i++) for (int j = 0; j < i; j++) t.set(i, j, 0, 0);
    }

    /** The first row of the block that ends at {@code last} and does not fall apart. */
    private int deflated(int last) {
        for (int l = last; l > 0; l--) {
            double scale = t.abs(l - 1, l - 1) + t.abs(l, l);
            if (t.abs(l, l - 1) <= EPSILON * (scale == 0 ? 1 : scale)) {
                t.set(l, l - 1, 0, 0);
                return l;
            }
        }
        return 0;
    }

    private void chase(int first, int last, int iteration) {
        double[] shift = iteration % 10 == 0
                ? new double[] {t.abs(last, last - 1) + (last > 1 ? t.abs(last - 1, last - 2) : 0), 0}
                : wilkinson(last);
        int k = start(first, last, shift);
        rotate(
                k,
                k + 1,
                t.real(k, k) - shift[0],
                t.imaginary(k, k) - shift[1],
                t.real(k + 1, k),
                t.imaginary(k + 1, k));
        if (k > first) t.set(k + 1, k - 1, 0, 0);
        for (k++; k < last; k++) clear(k + 1, k - 1);
    }

    /** The last row from which a shift can be chased: what the first rotation puts below the subdiagonal is negligible there. */
    private int start(int first, int last, double[] shift) {
        for (int k = last - 1; k > first; k--) {
            double distance = Math.hypot(t.real(k, k) - shift[0], t.imaginary(k, k) - shift[1]);
            double scale = t.abs(k, k) + t.abs(k + 1, k + 1);
            if (t.abs(k, k - 1) * t.abs(k + 1, k) <= EPSILON * distance * scale) return k;
        }
        return first;
    }

    /** Makes an element below the diagonal 0 by a rotation with the row above it. */
    private void clear(int row, int column) {
        rotate(
                row - 1,
                row,
                t.real(row - 1, column),
                t.imaginary(row - 1, column),
                t.real(row, column),
                t.imaginary(row, column));
        t.set(row, column, 0, 0);
    }

    /** The eigenvalue of the last two rows and columns that is closer to the last element. */
    private double[] wilkinson(int i) {
        double ar = t.real(i - 1, i - 1), ai = t.imaginary(i - 1, i - 1), dr = t.real(i, i), di = t.imaginary(i, i);
        double hr = (ar - dr) / 2, hi = (ai - di) / 2;
        double br = t.real(i - 1, i), bi = t.imaginary(i - 1, i), cr = t.real(i, i - 1), ci = t.imaginary(i, i - 1);
        double[] root = Complex.sqrt(hr * hr - hi * hi + br * cr - bi * ci, 2 * hr * hi + br * ci + bi * cr);
        if (hr * root[0] + hi * root[1] > 0) {
            root[0] = -root[0];
            root[1] = -root[1];
        }
        return new double[] {dr + hr + root[0], di + hi + root[1]};
    }

    /** The rotation of rows p and q that maps (a, b) to (r, 0), and its adjoint on the columns of t and u. */
    private void rotate(int p, int q, double ar, double ai, double br, double bi) {
        double absA = Math.hypot(ar, ai), absB = Math.hypot(br, bi), norm = Math.hypot(absA, absB);
        if (absB == 0) return;
        double c = absA / norm, sr, si;
        if (absA == 0) {
            sr = br / absB;
            si = -bi / absB;
        } else {
            sr = (ar * br + ai * bi) / absA / norm;
            si = (ai * br - ar * bi) / absA / norm;
        }
        for (int j = 0; j < n; j++) {
            double xr = t.real(p, j), xi = t.imaginary(p, j), yr = t.real(q, j), yi = t.imaginary(q, j);
            t.set(p, j, c * xr + sr * yr - si * yi, c * xi + sr * yi + si * yr);
            t.set(q, j, c * yr - sr * xr - si * xi, c * yi - sr * xi + si * xr);
        }
        columns(t, p, q, c, sr, si);
        columns(u, p, q, c, sr, si);
    }

    private void columns(Matrix m, int p, int q, double c, double sr, double si) {
        for (int i = 0; i < n; i++) {
            double xr = m.real(i, p), xi = m.imaginary(i, p), yr = m.real(i, q), yi = m.imaginary(i, q);
            m.set(i, p, c * xr + sr * yr + si * yi, c * xi + sr * yi - si * yr);
            m.set(i, q, c * yr - sr * xr + si * xi, c * yi - sr * xi - si * xr);
        }
    }
}
