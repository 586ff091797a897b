package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SchurTest {

    @Test
    void itsFactorsGiveTheMatrixBack() {
        Random random = new Random(5);
        for (int k = 0; k < 300; k++) {
            int n = 1 + random.nextInt(40), kind = k % 5;
            Matrix m = new Matrix(n, n);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double scale = kind == 1 ? Math.pow(10, -(i + j) / 3.0) : 1;
                    m.set(i, j, scale * random.nextGaussian(), kind < 2 ? scale * random.nextGaussian() : 0);
                }
            // Rows that repeat give many eigenvalues of 0, and subdiagonals through which a shift is lost.
            if (kind == 3) for (int i = n / 2; i < n; i++) for (int j = 0; j < n; j++) m.set(i, j, m.real(0, j), 0);
            Schur s = new Schur(m);
            Matrix back = MatrixFunctions.product(MatrixFunctions.product(s.u, s.t), s.u.adjoint());
            double most = 0, off = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    most = Math.max(most, m.abs(i, j));
                    off = Math.max(
                            off, Math.hypot(back.real(i, j) - m.real(i, j), back.imaginary(i, j) - m.imaginary(i, j)));
                }
            assertTrue(off <= 1e-13 * n * most, "matrix " + k + " of " + n + " rows of seed 5 is off by " + off);
        }
    }

    @Test
    void whatDoesNotConvergeIsNotANumber() {
        Matrix m = Matrix.identity(3, 3);
        m.set(2, 0, Double.NaN, 0);
        assertEquals(Double.NaN, new Schur(m).t.real(0, 0));
    }
}
