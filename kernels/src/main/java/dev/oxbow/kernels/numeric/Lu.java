package dev.oxbow.kernels.numeric;

/** {@code P A = L U} with partial pivoting: L has a unit diagonal and shares one matrix with U. */
final class Lu {
    final Matrix factors;

    /** Row i of {@code P A} is row {@code permutation[i]} of A. */
    final int[] permutation;

    private boolean odd;

    Lu(Matrix a) {
        Matrix f = a.copy();
        int n = f.rows;
        factors = f;
        permutation = new int[n];
        for (int i = 0; i < n; i++) permutation[i] = i;
        for (int k = 0; k < n; k++) {
            int pivot = k;
            for (int i = k + 1; i < n; i++) if (f.abs(i, k) > f.abs(pivot, k)) pivot = i;
            if (pivot != k) {
                f.swapRows(k, pivot);
                int p = permutation[k];
                permutation[k] = permutation[pivot];
                permutation[pivot] = p;
                odd = !odd;
            }
            if (f.abs(k, k) == 0) continue;
            for (int i = k + 1; i < n; i++) {
                f.divide(i, k, f, k, k, false);
                double re = f.real(i, k), im = f.imaginary(i, k);
                if (re == 0 && im == 0) continue;
                for (int j = k + 1; j < n; j++) f.subtract(i, j, re, im, f, k, j, false);
            }
        }
    }

    boolean isSingular() {
        for (int i = 0; i < factors.rows; i++) if (!(factors.abs(i, i) > 0)) return true;
        return false;
    }

    /** X of {@code A X = B}, or of {@code A* X = B}. */
    Matrix solve(Matrix b, boolean adjoint) {
        int n = factors.rows;
        Matrix x = new Matrix(n, b.columns);
        if (!adjoint) {
            for (int i = 0; i < n; i++)
                System.arraycopy(b.values, 2 * permutation[i] * b.columns, x.values, 2 * i * b.columns, 2 * b.columns);
            Triangular.solve(factors, x, true, false, true);
            Triangular.solve(factors, x, false, false, false);
            return x;
        }
        Matrix y = b.copy();
        Triangular.solve(factors, y, false, true, false);
        Triangular.solve(factors, y, true, true, true);
        for (int i = 0; i < n; i++)
            System.arraycopy(y.values, 2 * i * b.columns, x.values, 2 * permutation[i] * b.columns, 2 * b.columns);
        return x;
    }

    /** The determinant as a phase (real, imaginary) and the logarithm of its absolute value. */
    double[] logDeterminant() {
        double re = odd ? -1 : 1, im = 0, log = 0;
        for (int i = 0; i < factors.rows; i++) {
            double abs = factors.abs(i, i);
            if (abs == 0) return new double[] {0, 0, Double.NEGATIVE_INFINITY};
            double x = factors.real(i, i) / abs, y = factors.imaginary(i, i) / abs, r = re;
            re = re * x - im * y;
            im = r * y + im * x;
            log += Math.log(abs);
        }
        return new double[] {re, im, log};
    }

    double[] determinant() {
        double re = odd ? -1 : 1, im = 0;
        for (int i = 0; i < factors.rows; i++) {
            double x = factors.real(i, i), y = factors.imaginary(i, i), r = re;
            re = re * x - im * y;
            im = r * y + im * x;
        }
        return new double[] {re, im};
    }
}
