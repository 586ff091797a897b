package dev.oxbow.kernels.numeric;

/**
 * {@code A = V diag(w) V*} of a Hermitian matrix by Jacobi rotations, eigenvalues ascending; only the lower triangle
 * is read.
 */
final class HermitianEigen {
    private static final int SWEEPS = 60;

    final double[] values;
    final Matrix vectors;

    HermitianEigen(Matrix matrix) {
        int n = matrix.rows;
        Matrix a = new Matrix(n, n);
        for (int i = 0; i < n; i++) {
            a.set(i, i, matrix.real(i, i), 0);
            for (int j = 0; j < i; j++) {
                a.set(i, j, matrix.real(i, j), matrix.imaginary(i, j));
                a.set(j, i, matrix.real(i, j), -matrix.imaginary(i, j));
            }
        }
        Matrix v = Matrix.identity(n, n);
        for (int s = 0; s < SWEEPS && sweep(a, v); s++) {}
        values = new double[n];
        for (int i = 0; i < n; i++) values[i] = a.real(i, i);
        for (int i = 0; i < n; i++) {
            int least = i;
            for (int j = i + 1; j < n; j++) if (values[j] < values[least]) least = j;
            double x = values[i];
            values[i] = values[least];
            values[least] = x;
            v.swapColumns(i, least);
        }
        vectors = v;
    }

    private static boolean sweep(Matrix a, Matrix v) {
        boolean changed = false;
        for (int p = 0; p < a.rows; p++) {
            for (int q = p + 1; q < a.rows; q++) {
                double off = a.abs(p, q);
                if (!(off > 1e-17 * Math.hypot(a.real(p, p), a.real(q, q)) && off > Double.MIN_NORMAL)) continue;
                changed = true;
                // The phase makes the element real, then a real rotation annihilates it.
                double zr = a.real(p, q) / off, zi = a.imaginary(p, q) / off;
                double t0 = (a.real(q, q) - a.real(p, p)) / (2 * off),
                        t = (t0 >= 0 ? 1 : -1) / (Math.abs(t0) + Math.sqrt(t0 * t0 + 1));
                double c = 1 / Math.sqrt(t * t + 1), s = t * c;
                columns(a, p, q, c, s, zr, zi);
                rows(a, p, q, c, s, zr, zi);
                columns(v, p, q, c, s, zr, zi);
                a.set(p, q, 0, 0);
                a.set(q, p, 0, 0);
            }
        }
        return changed;
    }

    /** Column p becomes {@code c x - s conj(z) y} and column q {@code s z x + c y}, for a phase z. */
    private static void columns(Matrix m, int p, int q, double c, double s, double zr, double zi) {
        for (int i = 0; i < m.rows; i++) {
            double xr = m.real(i, p), xi = m.imaginary(i, p), yr = m.real(i, q), yi = m.imaginary(i, q);
            m.set(i, p, c * xr - s * (zr * yr + zi * yi), c * xi - s * (zr * yi - zi * yr));
            m.set(i, q, s * (zr * xr - zi * xi) + c * yr, s * (zr * xi + zi * xr) + c * yi);
        }
    }

    private static void rows(Matrix m, int p, int q, double c, double s, double zr, double zi) {
        for (int j = 0; j < m.columns; j++) {
            double xr = m.real(p, j), xi = m.imaginary(p, j), yr = m.real(q, j), yi = m.imaginary(q, j);
            m.set(p, j, c * xr - s * (zr * yr - zi * yi), c * xi - s * (zr * yi + zi * yr));
            m.set(q, j, s * (zr * xr + zi * xi) + c * yr, s * (zr * xi - zi * xr) + c * yi);
        }
    }
}
