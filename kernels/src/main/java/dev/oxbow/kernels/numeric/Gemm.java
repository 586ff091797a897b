package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.lang.foreign.Arena;

/**
 * Matrix product of f32 or f64 matrices in row-major memory: {@code C = op(A) * op(B)} or {@code C += op(A) * op(B)}.
 */
public final class Gemm {
    private static final long TINY = 1 << 12;

    private static final long LARGE_B = 1 << 20;
    static final long SMALL_BLOCK = 64;
    private static final long LARGE_BLOCK = 512;

    /** From here a small C may be summed in parts along k, whose number depends on m. */
    static final long LONG_K = 1 << 13;

    private Gemm() {}

    /** Begins to load what products of floats need, on a thread of its own, so that the first need not wait for it all. */
    public static void prepare() {
        if (KernelLevel.current() == KernelLevel.NATIVE) Loading.begin();
    }

    /** A product of a multiple of this many rows has the bits that those rows have in any larger one. */
    public static long rowMultiple(long n, long k) {
        return k >= LONG_K ? Long.MAX_VALUE : rowBlock(n, k);
    }

    /** The rows of one native call. */
    static long rowBlock(long n, long k) {
        return n * k < LARGE_B ? SMALL_BLOCK : LARGE_BLOCK;
    }

    /**
     * Multiplies the m-by-k matrix op(A) with the k-by-n matrix op(B). {@code lda}, {@code ldb} and {@code ldc} are the
     * distances between stored rows in elements; a transposed operand is stored with k, or n, as its rows. The bits of
     * the result do not depend on the number of threads.
     */
    public static void run(
            DType dtype,
            boolean transposeA,
            boolean transposeB,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate,
            MemoryPool pool,
            Parallel parallel) {
        run(
                KernelLevel.current(),
                dtype,
                transposeA,
                transposeB,
                m,
                n,
                k,
                a,
                lda,
                b,
                ldb,
                c,
                ldc,
                accumulate,
                pool,
                parallel);
    }

    /** As above, at a given level. */
    static void run(
            KernelLevel level,
            DType dtype,
            boolean transposeA,
            boolean transposeB,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate,
            MemoryPool pool,
            Parallel parallel) {
        if (m == 0 || n == 0) return;
        int w = dtype.size();
        if (k == 0 || Math.min(m, SMALL_BLOCK) * n * k <= TINY) {
            GemmSmall.run(level, w, transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
            return;
        }
        if (level == KernelLevel.NATIVE && fits(m, n, k) && fits(lda, ldb, ldc)) {
            NativeLibrary.Product product = dtype == DType.F32 ? NativeF32.PRODUCT : NativeF64.PRODUCT;
            if (product != null) {
                boolean rowwise = dtype == DType.F32
                        && !accumulate
                        && GemmNative.isBetterRowwise(transposeA, transposeB, m, n, k)
                        && NativeF32.ROWWISE != null;
                GemmNative.run(
                        rowwise ? NativeF32.ROWWISE : product,
                        rowwise,
                        w,
                        transposeA,
                        transposeB,
                        m,
                        n,
                        k,
                        a,
                        lda,
                        b,
                        ldb,
                        c,
                        ldc,
                        accumulate,
                        pool,
                        parallel);
                return;
            }
        }
        boolean vectors = level.usesVectors();
        if (m < 4 && !transposeB) {
            GemmRows.axpy(vectors, w, transposeA, m, n, k, a, lda, b, ldb, c, ldc, accumulate, parallel);
        } else if ((m < 4 || n < 4) && transposeB && !transposeA) {
            GemmRows.dot(vectors, w, m, n, k, a, lda, b, ldb, c, ldc, accumulate, parallel);
        } else {
            GemmPacked.run(
                    vectors, w, transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate, pool, parallel);
        }
    }

    private static boolean fits(long x, long y, long z) {
        return Math.max(x, Math.max(y, z)) <= Integer.MAX_VALUE;
    }

    private static NativeLibrary.Product product(DType dtype) {
        return NativeLibrary.installed()
                .flatMap(library -> library.product(dtype))
                .orElse(null);
    }

    static double get(int width, long base, long i) {
        return width == 4 ? Memory.getFloat(base + 4 * i) : Memory.getDouble(base + 8 * i);
    }

    static void put(int width, long base, long i, double x) {
        if (width == 4) Memory.putFloat(base + 4 * i, (float) x);
        else Memory.putDouble(base + 8 * i, x);
    }

    /** Runs a product for each library and, since oneDNN generates code for it, for each form that training has. */
    private static final class Loading {
        private static final long SMALL = 16;
        private static final long LARGE = 64;

        static {
            Thread.ofPlatform().daemon().name("oxbow-load-natives").start(Loading::load);
        }

        static void begin() {}

        private static void load() {
            if (NativeF32.PRODUCT == null) return;
            try (Arena arena = Arena.ofConfined()) {
                long size = LARGE * LARGE * Float.BYTES;
                long a = arena.allocate(3 * size, Float.BYTES).address();
                run(LARGE, a, size, false, false);
                run(SMALL, a, size, false, false);
                run(LARGE, a, size, true, false);
                run(LARGE, a, size, false, true);
            }
        }

        private static void run(long n, long a, long size, boolean transposeA, boolean transposeB) {
            NativeF32.PRODUCT.run(transposeA, transposeB, n, n, n, a, n, a + size, n, a + 2 * size, n, false);
        }
    }

    /** Loaded with the first product that is worth a native call, or before. */
    private static final class NativeF32 {
        static final NativeLibrary.Product PRODUCT = product(DType.F32);
        static final NativeLibrary.Product ROWWISE =
                NativeLibrary.installed().flatMap(NativeLibrary::rowwiseProduct).orElse(null);
    }

    private static final class NativeF64 {
        static final NativeLibrary.Product PRODUCT = product(DType.F64);
    }
}
