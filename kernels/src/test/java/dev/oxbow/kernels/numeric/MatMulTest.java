package dev.oxbow.kernels.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.kernels.Threads;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MatMulTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void productsMatchNaiveLoopsForAllShapesAndTranspositionsAtEveryLevel() {
        for (KernelLevel level : KernelLevel.values()) products(level);
    }

    private static void products(KernelLevel level) {
        Random random = new Random(3);
        int[] sizes = {0, 1, 2, 3, 5, 6, 7, 16, 17, 47, 48, 49, 100};
        for (int round = 0; round < 300; round++) {
            int m = sizes[random.nextInt(sizes.length)],
                    n = sizes[random.nextInt(sizes.length)],
                    k = sizes[random.nextInt(sizes.length)];
            if (round % 30 == 0) k = 300;
            if (round % 50 == 0) m = 210;
            check(
                    level,
                    random,
                    round % 3 == 0 ? DType.F64 : DType.F32,
                    m,
                    n,
                    k,
                    round % 2 == 0,
                    round / 2 % 2 == 0,
                    round % 5 == 0);
        }
    }

    private static void check(
            KernelLevel level,
            Random random,
            DType t,
            int m,
            int n,
            int k,
            boolean ta,
            boolean tb,
            boolean accumulate) {
        Tensor a = Numbers.uniform(random, t, ta ? k : m, ta ? m : k),
                b = Numbers.uniform(random, t, tb ? n : k, tb ? k : n);
        Tensor c = Numbers.uniform(random, t, m, n);
        double[] expected = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = accumulate ? c.getDouble((long) i * n + j) : 0;
                for (int p = 0; p < k; p++)
                    sum += a.getDouble(ta ? (long) p * m + i : (long) i * k + p)
                            * b.getDouble(tb ? (long) j * k + p : (long) p * n + j);
                expected[i * n + j] = sum;
            }
        }
        Tensor d = Numbers.copy(c);
        Product dense = Product.of(t, m, n, k, ta, tb), p = accumulate ? dense.added() : dense;
        Gemm.run(level, p, a.address(), b.address(), c.address(), POOL, Parallel.SERIAL);
        Gemm.run(level, p, a.address(), b.address(), d.address(), POOL, new Threads());
        String what = level + " " + t + " " + m + "x" + n + "x" + k + (ta ? " T" : " N") + (tb ? "T" : "N");
        Numbers.assertClose(expected, c, t == DType.F32 ? 1e-5 : 1e-13, what);
        assertArrayEquals(c.bytes(), d.bytes(), what);
    }

    @Test
    void batchesBroadcast() {
        Random random = new Random(4);
        for (DType t :
                new DType[] {DType.F32, DType.F64, DType.F16, DType.BF16, DType.I32, DType.I64, DType.U8, DType.I16}) {
            Tensor a = Numbers.whole(random, t, 2, 1, 3, 4),
                    b = Numbers.whole(random, t, 5, 6, 4),
                    c = Tensor.allocate(t, Shape.of(2, 5, 3, 6));
            MatrixProduct.of(Form.PLAIN, Form.TRANSPOSED).run(a, b, c, POOL, new Threads());
            for (int i = 0; i < c.size(); i++) {
                int q = i / 90, r = i / 18 % 5, row = i / 6 % 3, column = i % 6;
                double sum = 0;
                for (int p = 0; p < 4; p++)
                    sum += a.getDouble(q * 12L + row * 4 + p) * b.getDouble(r * 24L + column * 4 + p);
                if (t == DType.U8) sum = ((long) sum) & 0xff;
                assertEquals(sum, c.getDouble(i), t + " " + i);
            }
        }
    }

    @Test
    void adjointsConjugate() {
        Random random = new Random(5);
        for (DType t : new DType[] {DType.C64, DType.C128}) {
            Tensor a = Numbers.complex(random, t, 4, 3),
                    b = Numbers.complex(random, t, 4, 5),
                    c = Tensor.allocate(t, Shape.of(3, 5));
            MatrixProduct.of(Form.ADJOINT, Form.PLAIN).run(a, b, c, POOL, Parallel.SERIAL);
            int w = t.real().size();
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 5; j++) {
                    double re = 0, im = 0;
                    for (int p = 0; p < 4; p++) {
                        double ar = Gemm.get(w, a.address(), 2L * (p * 3 + i)),
                                ai = -Gemm.get(w, a.address(), 2L * (p * 3 + i) + 1);
                        double br = Gemm.get(w, b.address(), 2L * (p * 5 + j)),
                                bi = Gemm.get(w, b.address(), 2L * (p * 5 + j) + 1);
                        re += ar * br - ai * bi;
                        im += ar * bi + ai * br;
                    }
                    assertEquals(re, Gemm.get(w, c.address(), 2L * (i * 5 + j)), 1e-5);
                    assertEquals(im, Gemm.get(w, c.address(), 2L * (i * 5 + j) + 1), 1e-5);
                }
            }
        }
    }

    @Test
    void anEmptyInnerDimensionGivesZeros() {
        Tensor a = Tensor.allocate(DType.F32, Shape.of(2, 0)),
                b = Tensor.allocate(DType.F32, Shape.of(0, 3)),
                c = Tensor.allocate(DType.F32, Shape.of(2, 3));
        Memory.putFloat(c.address(), 9);
        MatrixProduct.of(Form.PLAIN, Form.PLAIN).run(a, b, c, POOL, Parallel.SERIAL);
        assertArrayEquals(new float[6], c.floats());
    }
}
