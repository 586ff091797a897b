package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Threads;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LinearAlgebraTest {
    private static final DType[] TYPES = {DType.F32, DType.F64, DType.C64, DType.C128};
    private static final int[][] SHAPES = {{1, 1}, {3, 3}, {5, 5}, {4, 2}, {2, 6}, {7, 5}, {0, 0}, {3, 0}};

    @Test
    void squareSystemsAreSolved() {
        Random random = new Random(41);
        for (DType t : TYPES) {
            for (int n : new int[] {0, 1, 2, 5, 9}) {
                Tensor a = random(random, t, 2, n, n),
                        b = random(random, t, 2, n, 3),
                        x = Numbers.like(b),
                        inverse = Numbers.like(a);
                for (int i = 0; i < 2 * n; i++)
                    Matrix.put(a, i / n * n * n + i % n * (n + 1), 3, 1); // well conditioned
                for (boolean adjoint : new boolean[] {false, true}) {
                    LinearAlgebra.solve(a, b, adjoint, x, new Threads());
                    close(product(a, adjoint ? Form.ADJOINT : Form.PLAIN, x, Form.PLAIN), b, t);
                    for (boolean lower : new boolean[] {false, true}) {
                        LinearAlgebra.triangularSolve(a, b, lower, adjoint, x, Parallel.SERIAL);
                        close(product(triangle(a, lower), adjoint ? Form.ADJOINT : Form.PLAIN, x, Form.PLAIN), b, t);
                    }
                }
                LinearAlgebra.inverse(a, false, inverse, Parallel.SERIAL);
                Tensor identity = Numbers.like(a);
                for (int i = 0; i < 2 * n; i++)
                    identity.set(i / Math.max(1, n) * n * n + i % Math.max(1, n) * (n + 1), 1);
                close(product(a, Form.PLAIN, inverse, Form.PLAIN), identity, t);
            }
        }
    }

    @Test
    void luFactorsThePermutedMatrixAndGivesDeterminants() {
        Tensor a = Tensor.of(Shape.of(2, 2), 1.0, 2, 3, 4),
                lu = Numbers.like(a),
                p = Tensor.zeros(DType.I32, Shape.of(2));
        LinearAlgebra.lu(a, lu, p, Parallel.SERIAL);
        assertEquals(1, p.getLong(0));
        Numbers.assertClose(new double[] {3, 4, 1.0 / 3, 2 - 4.0 / 3}, lu, 1e-15, "lu");
        Tensor d = Tensor.zeros(DType.F64, Shape.SCALAR), sign = Numbers.like(d), log = Numbers.like(d);
        LinearAlgebra.determinant(a, d, Parallel.SERIAL);
        assertEquals(-2, d.getDouble(0), 1e-14);
        LinearAlgebra.logDeterminant(a, sign, log, Parallel.SERIAL);
        assertEquals(-1, sign.getDouble(0));
        assertEquals(Math.log(2), log.getDouble(0), 1e-14);
        var e = assertThrows(
                OxbowException.class,
                () -> LinearAlgebra.inverse(
                        Tensor.of(Shape.of(2, 2), 1f, 2, 2, 4),
                        false,
                        Tensor.zeros(DType.F32, Shape.of(2, 2)),
                        Parallel.SERIAL));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals("Input is not invertible.", e.getMessage());
    }

    @Test
    void factorsMultiplyBackAndAreUnitary() {
        Random random = new Random(42);
        for (DType t : TYPES) {
            for (int[] shape : SHAPES) {
                for (boolean full : new boolean[] {false, true}) {
                    int m = shape[0], n = shape[1], k = Math.min(m, n);
                    Tensor a = random(random, t, 2, m, n);
                    Tensor q = zeros(t, 2, m, full ? m : k), r = zeros(t, 2, full ? m : k, n);
                    LinearAlgebra.qr(a, q, r, new Threads());
                    close(product(q, Form.PLAIN, r, Form.PLAIN), a, t);
                    unitary(q, t);
                    Tensor s = zeros(t, 2, k), u = zeros(t, 2, m, full ? m : k), v = zeros(t, 2, n, full ? n : k);
                    LinearAlgebra.svd(a, s, u, v, Parallel.SERIAL);
                    Tensor diagonal = zeros(t, 2, full ? m : k, full ? n : k);
                    for (int b = 0; b < 2; b++) {
                        for (int i = 0; i < k; i++) {
                            diagonal.set(
                                    b * diagonal.size() / 2 + (long) i * (full ? n : k) + i, Matrix.real(s, b * k + i));
                            assertTrue(i == 0 || Matrix.real(s, b * k + i) <= Matrix.real(s, b * k + i - 1));
                        }
                    }
                    close(product(product(u, Form.PLAIN, diagonal, Form.PLAIN), Form.PLAIN, v, Form.ADJOINT), a, t);
                    unitary(u, t);
                    unitary(v, t);
                    Tensor h = product(a, Form.PLAIN, a, Form.ADJOINT), e = zeros(t, 2, m), w = zeros(t, 2, m, m);
                    LinearAlgebra.selfAdjointEigen(h, e, w, Parallel.SERIAL);
                    Tensor values = zeros(t, 2, m, m), l = Numbers.like(h);
                    for (int i = 0; i < 2 * m; i++) values.set(i / m * m * m + i % m * (m + 1), Matrix.real(e, i));
                    close(product(product(w, Form.PLAIN, values, Form.PLAIN), Form.PLAIN, w, Form.ADJOINT), h, t);
                    unitary(w, t);
                    if (m > n) continue;
                    LinearAlgebra.cholesky(h, l, Parallel.SERIAL);
                    close(product(l, Form.PLAIN, l, Form.ADJOINT), h, t);
                }
            }
        }
    }

    /** Recorded from TensorFlow 2.21: the signs of R and of singular vectors. */
    @Test
    void signsFollowTensorFlow() {
        Tensor a = Tensor.of(Shape.of(2, 2), 1.0, 2, 3, 4),
                q = Numbers.like(a),
                r = Numbers.like(a),
                u = Numbers.like(a),
                v = Numbers.like(a),
                s = Tensor.zeros(DType.F64, Shape.of(2));
        LinearAlgebra.qr(a, q, r, Parallel.SERIAL);
        Numbers.assertClose(QR, r, 1e-12, "r");
        LinearAlgebra.svd(a, s, u, v, Parallel.SERIAL);
        Numbers.assertClose(U, u, 1e-12, "u");
        Numbers.assertClose(V, v, 1e-12, "v");
    }

    private static final double[] QR = {-3.1622776601683795, -4.427188724235731, 0.0, -0.6324555320336751};
    private static final double[] U = {0.404553584833757, -0.9145142956773045, 0.9145142956773045, 0.404553584833757};
    private static final double[] V = {0.5760484367663208, 0.8174155604703633, 0.8174155604703633, -0.5760484367663208};

    @Test
    void choleskyOfWhatIsNotPositiveIsNan() {
        try (Tensor l = Tensor.zeros(DType.F32, Shape.of(1, 1))) {
            LinearAlgebra.cholesky(Tensor.of(Shape.of(1, 1), -1f), l, Parallel.SERIAL);
            assertEquals(Double.NaN, l.getDouble(0));
        }
    }

    @Test
    void tridiagonalSystemsAreSolvedWithAndWithoutPivoting() {
        Random random = new Random(43);
        for (DType t : TYPES) {
            for (int n : new int[] {1, 2, 3, 8}) {
                Tensor d = random(random, t, 2, 3, n),
                        b = random(random, t, 2, n, 2),
                        x = Numbers.like(b),
                        a = zeros(t, 2, n, n);
                for (int batch = 0; batch < 2; batch++) {
                    for (int i = 0; i < n; i++) {
                        for (int k = 0; k < 3; k++) {
                            int j = i + 1 - k;
                            long at = (batch * 3L + k) * n + i;
                            if (j >= 0 && j < n)
                                Matrix.put(
                                        a, (batch * (long) n + i) * n + j, Matrix.real(d, at), Matrix.imaginary(d, at));
                        }
                    }
                }
                for (boolean pivoting : new boolean[] {false, true}) {
                    Tridiagonal.solve(d, b, pivoting, x, Parallel.SERIAL);
                    if (pivoting || t.real() == DType.F64) close(product(a, Form.PLAIN, x, Form.PLAIN), b, t);
                }
            }
        }
    }

    private static Tensor random(Random random, DType t, long... dims) {
        return t.isComplex() ? Numbers.complex(random, t, dims) : Numbers.uniform(random, t, dims);
    }

    private static Tensor zeros(DType t, long... dims) {
        return Tensor.zeros(t, Shape.of(dims));
    }

    private static Tensor product(Tensor a, Form fa, Tensor b, Form fb) {
        Tensor c = zeros(
                a.dtype(),
                a.shape().dim(0),
                a.shape().dim(fa == Form.PLAIN ? 1 : 2),
                b.shape().dim(fb == Form.PLAIN ? 2 : 1));
        MatrixProduct.of(fa, fb).run(a, b, c, MemoryPool.shared(), Parallel.SERIAL);
        return c;
    }

    private static Tensor triangle(Tensor a, boolean lower) {
        Tensor y = Numbers.copy(a);
        int n = (int) a.shape().dim(-1);
        for (int i = 0; i < y.size(); i++) if (lower ? i % n > i / n % n : i % n < i / n % n) Matrix.put(y, i, 0, 0);
        return y;
    }

    private static void unitary(Tensor q, DType t) {
        Tensor p = product(q, Form.ADJOINT, q, Form.PLAIN), identity = Numbers.like(p);
        int n = (int) p.shape().dim(-1);
        for (int i = 0; i < 2 * n; i++) identity.set(i / n * n * n + i % n * (n + 1), 1);
        close(p, identity, t);
    }

    private static void close(Tensor actual, Tensor expected, DType t) {
        double tolerance = t.real() == DType.F32 ? 1e-3 : 1e-9;
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(Matrix.real(expected, i), Matrix.real(actual, i), tolerance, expected + " " + i);
            assertEquals(Matrix.imaginary(expected, i), Matrix.imaginary(actual, i), tolerance, expected + " " + i);
        }
    }
}
