package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Products of floats whose elements are rounded to bf16, 8 bits of mantissa, before they are multiplied; sums are f32.
 * Every term of a sum has a relative error of about 2^-8. Small products and those that add to C stay exact.
 */
final class Bf16Product implements NativeLibrary.Product {
    private static final long LARGE = 1 << 18;
    private static final int CACHE_SIZE = 512;

    private record Key(boolean transposeA, boolean transposeB, long m, long n, long k, long lda, long ldb, long ldc) {}

    private final NativeLibrary.Product exact;
    private final Map<Key, Primitive> cache = Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Primitive> eldest) {
            return size() > CACHE_SIZE;
        }
    });

    Bf16Product(NativeLibrary.Product exact) {
        this.exact = exact;
    }

    @Override
    public void run(
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
            boolean accumulate) {
        if (accumulate || m * n * k < LARGE) {
            exact.run(transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
            return;
        }
        cache.computeIfAbsent(new Key(transposeA, transposeB, m, n, k, lda, ldb, ldc), Bf16Product::prepare)
                .run(0, a, b, c);
    }

    private static Primitive prepare(Key key) {
        OneDnn.useOneThread();
        long a = matrix(key.transposeA, key.m, key.k, key.lda), b = matrix(key.transposeB, key.k, key.n, key.ldb);
        long c = matrix(false, key.m, key.n, key.ldc);
        Primitive product = new Primitive(Dnn.bf16Product(a, b, c), Dnn.SRC, Dnn.WEIGHTS, Dnn.DST);
        for (long layout : new long[] {a, b, c}) Dnn.destroy("memory_desc", layout);
        return product;
    }

    private static long matrix(boolean transposed, long rows, long columns, long step) {
        return Dnn.strided(List.of(rows, columns), transposed ? List.of(1L, step) : List.of(step, 1L));
    }
}
