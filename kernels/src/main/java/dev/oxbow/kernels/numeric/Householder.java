package dev.oxbow.kernels.numeric;

/** {@code A P = Q R} by reflections; P is the identity unless columns are pivoted by their norms. */
final class Householder {

    /*
     * Signs follow Eigen, which TensorFlow uses: a reflection maps the column to beta e with beta of the sign opposite
     * to the real part of the leading element, and a column that needs no reflection keeps its sign.
     */

    private final Matrix a;
    private final double[] tau;

    /** Column j of {@code A P} is column {@code permutation[j]} of A. */
    final int[] permutation;

    Householder(Matrix matrix, boolean pivot) {
        a = matrix.copy();
        int n = Math.min(a.rows, a.columns);
        tau = new double[2 * n];
        permutation = new int[a.columns];
        for (int j = 0; j < a.columns; j++) permutation[j] = j;
        for (int k = 0; k < n; k++) {
            if (pivot) swapLargestTo(k);
            reflect(k);
        }
    }

    private void swapLargestTo(int k) {
        int best = k;
        double largest = -1;
        for (int j = k; j < a.columns; j++) {
            double norm = tail(k, j);
            if (norm > largest) {
                largest = norm;
                best = j;
            }
        }
        if (best == k) return;
        a.swapColumns(k, best);
        int p = permutation[k];
        permutation[k] = permutation[best];
        permutation[best] = p;
    }

    /** The sum of squares of column j from row k on. */
    private double tail(int k, int j) {
        double sum = 0;
        for (int i = k; i < a.rows; i++) sum += a.real(i, j) * a.real(i, j) + a.imaginary(i, j) * a.imaginary(i, j);
        return sum;
    }

    /** Makes reflection k, {@code I - tau v v*} with {@code v[k] = 1}; the rest of v is kept below the diagonal. */
    private void reflect(int k) {
        double rest = k + 1 < a.rows ? tail(k + 1, k) : 0, re = a.real(k, k), im = a.imaginary(k, k);
        if (rest <= Double.MIN_NORMAL && im * im <= Double.MIN_NORMAL) {
            for (int i = k + 1; i < a.rows; i++) a.set(i, k, 0, 0);
            return;
        }
        double beta = Math.sqrt(re * re + im * im + rest);
        if (re >= 0) beta = -beta;
        double dr = re - beta, norm = dr * dr + im * im;
        for (int i = k + 1; i < a.rows; i++) a.scale(i, k, dr / norm, -im / norm);
        tau[2 * k] = (beta - re) / beta;
        tau[2 * k + 1] = im / beta;
        a.set(k, k, beta, 0);
        for (int j = k + 1; j < a.columns; j++) apply(a, k, j, tau[2 * k], tau[2 * k + 1]);
    }

    /** Applies reflection k to column j of {@code m}. */
    private void apply(Matrix m, int k, int j, double tauRe, double tauIm) {
        double re = m.real(k, j), im = m.imaginary(k, j);
        for (int i = k + 1; i < a.rows; i++) {
            double vr = a.real(i, k), vi = a.imaginary(i, k), xr = m.real(i, j), xi = m.imaginary(i, j);
            re += vr * xr + vi * xi;
            im += vr * xi - vi * xr;
        }
        double sr = tauRe * re - tauIm * im, si = tauRe * im + tauIm * re;
        m.set(k, j, m.real(k, j) - sr, m.imaginary(k, j) - si);
        for (int i = k + 1; i < a.rows; i++) m.subtract(i, j, sr, si, a, i, k, false);
    }

    /** The first {@code columns} columns of Q. */
    Matrix q(int columns) {
        Matrix q = Matrix.identity(a.rows, columns);
        for (int k = tau.length / 2 - 1; k >= 0; k--) {
            for (int j = 0; j < columns; j++) apply(q, k, j, tau[2 * k], -tau[2 * k + 1]);
        }
        return q;
    }

    /** The first {@code rows} rows of R. */
    Matrix r(int rows) {
        Matrix r = new Matrix(rows, a.columns);
        for (int i = 0; i < Math.min(rows, a.rows); i++)
            for (int j = i; j < a.columns; j++) r.set(i, j, a.real(i, j), a.imaginary(i, j));
        return r;
    }
}
