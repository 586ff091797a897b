package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.kernels.numeric.Gemm;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@DisabledIfSystemProperty(named = "oxbow.kernels", matches = "vector|scalar")
final class ProductTest {
    private static final MemoryPool POOL = MemoryPool.shared();

    @Test
    void theLibraryIsFoundAndSaysWhatItIs() {
        NativeLibrary library = NativeLibrary.installed().orElseThrow();
        assertTrue(library.product(DType.F32).isPresent());
        assertTrue(library.product(DType.F64).isPresent());
        assertTrue(library.product(DType.I32).isEmpty());
        assertTrue(library.description().startsWith("OpenBLAS 0.3."), library.description());
    }

    @Test
    void productsMatchNaiveLoopsForAllShapesAndTranspositions() {
        Random random = new Random(7);
        int[] sizes = {1, 2, 3, 5, 10, 16, 17, 33, 64, 100};
        for (int round = 0; round < 240; round++) {
            int m = sizes[random.nextInt(sizes.length)],
                    n = sizes[random.nextInt(sizes.length)],
                    k = sizes[random.nextInt(sizes.length)];
            check(random, m, n, k, round, round % 3 == 0 ? DType.F64 : DType.F32);
        }
    }

    @Test
    void productsThatAreCutMatchToo() {
        int[][] shapes = {
            {300, 200, 100},
            {128, 512, 200},
            {20, 30, 9000},
            {1, 3000, 900},
            {2100, 1, 1100},
            {500, 10, 600},
            {9, 900, 1300},
            {530, 510, 70},
            {70, 832, 40},
            {150, 1040, 70},
            {128, 64, 128},
            {300, 1030, 130}
        };
        Random random = new Random(8);
        for (int[] s : shapes)
            for (int round = 0; round < 4; round++) {
                check(random, s[0], s[1], s[2], round, DType.F32);
                check(random, s[0], s[1], s[2], round, DType.F64);
            }
    }

    @Test
    void rowsHaveTheSameBitsInEveryMultipleOfThem() {
        int[][] shapes = {
            {64, 128}, {128, 64}, {256, 256}, {256, 1024}, {1024, 256}, {832, 256}, {512, 784}, {1100, 300}
        };
        Random random = new Random(10);
        for (int[] s : shapes) {
            for (boolean tb : new boolean[] {false, true}) {
                int n = s[0], k = s[1], m = 384, step = (int) Gemm.rowMultiple(n, k);
                Tensor a = uniform(random, DType.F32, m, k), b = uniform(random, DType.F32, tb ? n : k, tb ? k : n);
                Tensor whole = Tensor.allocate(DType.F32, Shape.of(m, n)), cut = uniform(random, DType.F32, m, n);
                Product p = Product.of(DType.F32, m, n, k, false, tb);
                run(p, a, b, whole, Parallel.SERIAL);
                for (int blocks = 1; blocks <= 3; blocks++) {
                    for (int i = 0; i < m; i += blocks * step) {
                        long from = a.address() + 4L * i * k, to = cut.address() + 4L * i * n;
                        int rows = Math.min(blocks * step, m - i);
                        Gemm.run(p.part(rows, n, k, false), from, b.address(), to, POOL, Parallel.SERIAL);
                    }
                    assertArrayEquals(whole.bytes(), cut.bytes(), n + "x" + k + (tb ? " T " : " N ") + blocks);
                }
            }
        }
    }

    @Test
    void bf16ProductsAreWithinTheErrorOfTheirTerms() {
        Random random = new Random(9);
        int m = 96, n = 80, k = 70;
        for (int round = 0; round < 4; round++) {
            boolean ta = round % 2 == 1, tb = round / 2 == 1;
            Tensor a = uniform(random, DType.F32, ta ? k : m, ta ? m : k), c = uniform(random, DType.F32, m, n);
            Tensor b = uniform(random, DType.F32, tb ? n : k, tb ? k : n);
            new Bf16Product(new FloatProduct())
                    .run(Product.of(DType.F32, m, n, k, ta, tb), a.address(), b.address(), c.address());
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = 0, size = 0;
                    for (int p = 0; p < k; p++) {
                        double term = a.getDouble(ta ? (long) p * m + i : (long) i * k + p)
                                * b.getDouble(tb ? (long) j * k + p : (long) p * n + j);
                        sum += term;
                        size += Math.abs(term);
                    }
                    assertEquals(sum, c.getDouble((long) i * n + j), size / 128, i + ", " + j);
                }
            }
        }
    }

    @Test
    void anInfinityTimesZeroIsNotLost() {
        for (int n : new int[] {1, 40}) {
            Tensor a = uniform(new Random(1), DType.F32, 40, 40), b = uniform(new Random(2), DType.F32, 40, n);
            Tensor c = uniform(new Random(3), DType.F32, 40, n);
            a.set(7 * 40 + 3, Double.POSITIVE_INFINITY);
            for (int j = 0; j < n; j++) b.set(3L * n + j, 0.0);
            for (long i = 0; i < c.size(); i++) c.set(i, Double.NaN);
            run(Product.of(DType.F32, 40, n, 40), a, b, c, Parallel.SERIAL);
            for (int i = 0; i < 40; i++)
                for (int j = 0; j < n; j++)
                    assertEquals(i == 7, Double.isNaN(c.getDouble((long) i * n + j)), i + ", " + j);
        }
    }

    private static void check(Random random, int m, int n, int k, int round, DType t) {
        boolean ta = round % 2 == 1, tb = round / 2 % 2 == 1, accumulate = round % 5 == 0;
        int padding = round % 7 == 0 ? 3 : 0;
        int lda = (ta ? m : k) + padding, ldb = (tb ? k : n) + padding, ldc = n + padding;
        Tensor a = uniform(random, t, ta ? k : m, lda), b = uniform(random, t, tb ? n : k, ldb);
        Tensor c = uniform(random, t, m, ldc), d = Tensor.allocate(t, Shape.of(m, ldc));
        for (long i = 0; i < c.size(); i++) d.set(i, c.getDouble(i));
        Tensor before = Tensor.allocate(t, Shape.of(m, ldc));
        for (long i = 0; i < c.size(); i++) before.set(i, c.getDouble(i));
        Product p = Product.of(t, m, n, k, ta, tb).strided(lda, ldb, ldc).part(m, n, k, accumulate);
        run(p, a, b, c, Parallel.SERIAL);
        run(p, a, b, d, new EachAlone());
        String what = t + " " + m + "x" + n + "x" + k + (ta ? " T" : " N") + (tb ? "T" : "N");
        double tolerance = (t == DType.F32 ? 2e-6 : 1e-14) * (4 + Math.sqrt(k));
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < ldc; j++) {
                double expected = accumulate || j >= n ? before.getDouble((long) i * ldc + j) : 0;
                for (int q = 0; q < k && j < n; q++)
                    expected += a.getDouble(ta ? (long) q * lda + i : (long) i * lda + q)
                            * b.getDouble(tb ? (long) j * ldb + q : (long) q * ldb + j);
                assertEquals(expected, c.getDouble((long) i * ldc + j), tolerance, what);
            }
        }
        assertArrayEquals(c.bytes(), d.bytes(), what);
    }

    private static void run(Product p, Tensor a, Tensor b, Tensor c, Parallel parallel) {
        assertEquals(KernelLevel.NATIVE, KernelLevel.current());
        Gemm.run(p, a.address(), b.address(), c.address(), POOL, parallel);
    }

    static Tensor uniform(Random random, DType t, long... dims) {
        Tensor x = Tensor.allocate(t, Shape.of(dims));
        for (long i = 0; i < x.size(); i++) x.set(i, random.nextDouble() * 2 - 1);
        return x;
    }
}
