package dev.oxbow.kernels.numeric;

/** Systems with a triangular matrix. */
final class Triangular {
    private Triangular() {}

    /** Replaces X by the solution of {@code A Y = X}, or of {@code A* Y = X}; only the named triangle of A is read. */
    static void solve(Matrix a, Matrix x, boolean lower, boolean adjoint, boolean unitDiagonal) {
        int n = a.rows;
        boolean forward = lower != adjoint;
        for (int s = 0; s < n; s++) {
            int i = forward ? s : n - 1 - s;
            for (int c = 0; c < x.columns; c++) {
                for (int t = 0; t < s; t++) {
                    int k = forward ? t : n - 1 - t;
                    x.subtract(i, c, x.real(k, c), x.imaginary(k, c), a, adjoint ? k : i, adjoint ? i : k, adjoint);
                }
                if (!unitDiagonal) x.divide(i, c, a, i, i, adjoint);
            }
        }
    }
}
