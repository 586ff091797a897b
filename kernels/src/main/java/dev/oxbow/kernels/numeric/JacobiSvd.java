package dev.oxbow.kernels.numeric;

/** {@code A = U diag(s) V*} by two-sided Jacobi rotations, singular values in descending order. */
final class JacobiSvd {

    /*
     * Kogbetliantz's method with the conventions of Eigen, which TensorFlow uses for small matrices, so that the signs of
     * singular vectors agree too: a tall or wide matrix is first reduced by a column-pivoted QR; pairs (p, q), q < p, are
     * swept until no off-diagonal element counts; a negative diagonal element turns its column of U around.
     */

    private static final int SWEEPS = 60;
    private static final double PRECISION = 2 * Math.ulp(1.0);

    final double[] values;
    final Matrix u;
    final Matrix v;

    private Matrix work;

    /** {@code full} asks for square U and V. */
    JacobiSvd(Matrix a, boolean full) {
        int n = Math.min(a.rows, a.columns);
        double scale = 0;
        for (int i = 0; i < a.rows; i++) for (int j = 0; j < a.columns; j++) scale = Math.max(scale, a.abs(i, j));
        if (scale == 0 || !Double.isFinite(scale)) scale = 1;
        Matrix scaled = a.copy();
        for (int i = 0; i < scaled.values.length; i++) scaled.values[i] /= scale;
        if (a.rows > a.columns) {
            Householder qr = new Householder(scaled, true);
            work = qr.r(n).part(n, n);
            u = qr.q(full ? a.rows : n);
            v = permutation(qr.permutation);
        } else if (a.rows < a.columns) {
            Householder qr = new Householder(scaled.adjoint(), true);
            work = qr.r(n).part(n, n).adjoint();
            v = qr.q(full ? a.columns : n);
            u = permutation(qr.permutation);
        } else {
            work = scaled;
            u = Matrix.identity(n, n);
            v = Matrix.identity(n, n);
        }
        sweep(n);
        values = new double[n];
        for (int i = 0; i < n; i++) {
            double abs = work.abs(i, i);
            values[i] = abs * scale;
            if (abs > 0)
                for (int r = 0; r < u.rows; r++) u.scale(r, i, work.real(i, i) / abs, work.imaginary(i, i) / abs);
        }
        sort(n);
    }

    private static Matrix permutation(int[] p) {
        Matrix m = new Matrix(p.length, p.length);
        for (int j = 0; j < p.length; j++) m.set(p[j], j, 1, 0);
        return m;
    }

    private void sweep(int n) {
        double largest = 0;
        for (int i = 0; i < n; i++) largest = Math.max(largest, work.abs(i, i));
        boolean finished = false;
        for (int s = 0; s < SWEEPS && !finished; s++) {
            finished = true;
            for (int p = 1; p < n; p++) {
                for (int q = 0; q < p; q++) {
                    double threshold = Math.max(Double.MIN_NORMAL, PRECISION * largest);
                    if (!(work.abs(p, q) > threshold || work.abs(q, p) > threshold)) continue;
                    finished = false;
                    makeReal(p, q);
                    rotate(p, q);
                    largest = Math.max(largest, Math.max(work.abs(p, p), work.abs(q, q)));
                }
            }
        }
    }

    /**
     * Unitary changes after which the 2-by-2 block of a complex matrix is real with a zero at (q, p); real ones stay.
     */
    private void makeReal(int p, int q) {
        if (work.imaginary(p, p) == 0
                && work.imaginary(p, q) == 0
                && work.imaginary(q, p) == 0
                && work.imaginary(q, q) == 0) return;
        double norm = Math.hypot(work.abs(p, p), work.abs(q, p));
        if (norm == 0) {
            work.set(p, p, 0, 0);
            work.set(q, p, 0, 0);
            phaseRow(p, q, p);
            phaseRow(q, q, q);
            return;
        }
        double cr = work.real(p, p) / norm,
                ci = -work.imaginary(p, p) / norm,
                sr = work.real(q, p) / norm,
                si = work.imaginary(q, p) / norm;
        for (int j = 0; j < work.columns; j++) {
            double xr = work.real(p, j), xi = work.imaginary(p, j), yr = work.real(q, j), yi = work.imaginary(q, j);
            work.set(p, j, cr * xr - ci * xi + sr * yr + si * yi, cr * xi + ci * xr + sr * yi - si * yr);
            work.set(q, j, -(sr * xr - si * xi) + cr * yr + ci * yi, -(sr * xi + si * xr) + cr * yi - ci * yr);
        }
        for (int i = 0; i < u.rows; i++) {
            double xr = u.real(i, p), xi = u.imaginary(i, p), yr = u.real(i, q), yi = u.imaginary(i, q);
            u.set(i, p, cr * xr + ci * xi + sr * yr - si * yi, cr * xi - ci * xr + sr * yi + si * yr);
            u.set(i, q, -(sr * xr + si * xi) + cr * yr - ci * yi, -(sr * xi - si * xr) + cr * yi + ci * yr);
        }
        double abs = work.abs(p, q);
        if (Math.abs(work.imaginary(p, q)) > Double.MIN_NORMAL) {
            double zr = work.real(p, q) / abs, zi = -work.imaginary(p, q) / abs;
            for (int i = 0; i < work.rows; i++) work.scale(i, q, zr, zi);
            for (int i = 0; i < v.rows; i++) v.scale(i, q, zr, zi);
        }
        phaseRow(q, q, q);
    }

    /** Turns row r, and its column of U back, so that {@code work[i, j]} of that row becomes real. */
    private void phaseRow(int r, int j, int column) {
        double abs = work.abs(r, j);
        if (Math.abs(work.imaginary(r, j)) <= Double.MIN_NORMAL) return;
        double zr = work.real(r, j) / abs, zi = -work.imaginary(r, j) / abs;
        for (int k = 0; k < work.columns; k++) work.scale(r, k, zr, zi);
        for (int i = 0; i < u.rows; i++) u.scale(i, column, zr, -zi);
    }

    /** Diagonalises the real block of rows and columns p and q. */
    private void rotate(int p, int q) {
        double a = work.real(p, p), b = work.real(p, q), c = work.real(q, p), d = work.real(q, q);
        double c1 = 1, s1 = 0, difference = c - b;
        if (Math.abs(difference) >= Double.MIN_NORMAL) {
            double ratio = (a + d) / difference, norm = Math.sqrt(1 + ratio * ratio);
            s1 = 1 / norm;
            c1 = ratio / norm;
        }
        double x = c1 * a + s1 * c, y = c1 * b + s1 * d, z = -s1 * b + c1 * d; // now symmetric: x y; y z
        double cosine = 1, sine = 0;
        if (2 * Math.abs(y) >= Double.MIN_NORMAL) {
            double t0 = (x - z) / (2 * Math.abs(y)),
                    w = Math.sqrt(t0 * t0 + 1),
                    t = t0 > 0 ? 1 / (t0 + w) : 1 / (t0 - w);
            cosine = 1 / Math.sqrt(t * t + 1);
            sine = -Math.signum(t) * Math.signum(y) * Math.abs(t) * cosine;
        }
        double leftC = c1 * cosine + s1 * sine, leftS = s1 * cosine - c1 * sine;
        rows(work, p, q, leftC, leftS);
        columns(u, p, q, leftC, -leftS);
        columns(work, p, q, cosine, sine);
        columns(v, p, q, cosine, sine);
    }

    private static void rows(Matrix m, int p, int q, double c, double s) {
        for (int j = 0; j < m.columns; j++) {
            double xr = m.real(p, j), xi = m.imaginary(p, j), yr = m.real(q, j), yi = m.imaginary(q, j);
            m.set(p, j, c * xr + s * yr, c * xi + s * yi);
            m.set(q, j, c * yr - s * xr, c * yi - s * xi);
        }
    }

    private static void columns(Matrix m, int p, int q, double c, double s) {
        for (int i = 0; i < m.rows; i++) {
            double xr = m.real(i, p), xi = m.imaginary(i, p), yr = m.real(i, q), yi = m.imaginary(i, q);
            m.set(i, p, c * xr - s * yr, c * xi - s * yi);
            m.set(i, q, s * xr + c * yr, s * xi + c * yi);
        }
    }

    private void sort(int n) {
        for (int i = 0; i < n; i++) {
            int best = i;
            for (int j = i + 1; j < n; j++) if (values[j] > values[best]) best = j;
            if (values[best] == 0) return;
            if (best == i) continue;
            double x = values[i];
            values[i] = values[best];
            values[best] = x;
            u.swapColumns(i, best);
            v.swapColumns(i, best);
        }
    }
}
