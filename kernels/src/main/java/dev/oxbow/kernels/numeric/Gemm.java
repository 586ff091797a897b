package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.NativeLibrary.Multiplier;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.lang.foreign.Arena;

/** Products of f32 or f64 matrices: chooses who multiplies, by shape alone. */
public final class Gemm {
    private Gemm() {}

    /** Begins to load what products of floats need, on a thread of its own, so that the first need not wait for it all. */
    public static void prepare() {
        if (KernelLevel.current() == KernelLevel.NATIVE) Loading.begin();
    }

    /** A product of a multiple of this many rows has the bits that those rows have in any larger one. */
    public static long rowMultiple(long n, long k) {
        return k >= GemmLimits.LONG_K ? Long.MAX_VALUE : GemmLimits.rowBlock(n, k);
    }

    /** Multiplies the matrices at these addresses. The bits of the result do not depend on the number of threads. */
    public static void run(Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        run(KernelLevel.current(), p, a, b, c, pool, parallel);
    }

    /** As above, at a given level. */
    static void run(KernelLevel level, Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        long m = p.m(), n = p.n(), k = p.k();
        if (m == 0 || n == 0) return;
        if (k == 0 || Math.min(m, GemmLimits.SMALL_BLOCK) * n * k <= GemmLimits.TINY) {
            GemmSmall.run(level, p, a, b, c);
        } else if (level == KernelLevel.NATIVE && fits(m, n, k) && fits(p.strideA(), p.strideB(), p.strideC())) {
            byLibrary(p, a, b, c, pool, parallel);
        } else {
            inJava(level.usesVectors(), p, a, b, c, pool, parallel);
        }
    }

    private static void byLibrary(Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        boolean floats = p.dtype() == DType.F32;
        Multiplier library = floats ? NativeF32.ANY : NativeF64.ANY;
        if (library == null) {
            inJava(KernelLevel.NATIVE.usesVectors(), p, a, b, c, pool, parallel);
            return;
        }
        boolean rowwise = floats && GemmLimits.isBetterRowwise(p) && NativeF32.ROWWISE != null;
        GemmNative.run(rowwise ? NativeF32.ROWWISE : library, rowwise, p, a, b, c, pool, parallel);
    }

    private static void inJava(boolean vectors, Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        if (p.m() < 4 && !p.transposeB()) GemmRows.axpy(vectors, p, a, b, c, parallel);
        else if ((p.m() < 4 || p.n() < 4) && p.transposeB() && !p.transposeA())
            GemmRows.dot(vectors, p, a, b, c, parallel);
        else new GemmPacked(vectors, p).run(a, b, c, pool, parallel);
    }

    private static boolean fits(long x, long y, long z) {
        return Math.max(x, Math.max(y, z)) <= Integer.MAX_VALUE;
    }

    private static Multiplier library(DType dtype) {
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
            if (NativeF32.ANY == null) return;
            try (Arena arena = Arena.ofConfined()) {
                long size = LARGE * LARGE * Float.BYTES;
                long a = arena.allocate(3 * size, Float.BYTES).address();
                for (Product p : new Product[] {
                    Product.of(DType.F32, LARGE, LARGE, LARGE),
                    Product.of(DType.F32, SMALL, SMALL, SMALL),
                    Product.of(DType.F32, LARGE, LARGE, LARGE, true, false),
                    Product.of(DType.F32, LARGE, LARGE, LARGE, false, true)
                }) NativeF32.ANY.run(p, a, a + size, a + 2 * size);
            }
        }
    }

    /** Loaded with the first product that is worth a native call, or before. */
    private static final class NativeF32 {
        static final Multiplier ANY = library(DType.F32);
        static final Multiplier ROWWISE =
                NativeLibrary.installed().flatMap(NativeLibrary::rowwiseProduct).orElse(null);
    }

    private static final class NativeF64 {
        static final Multiplier ANY = library(DType.F64);
    }
}
