package dev.oxbow.natives;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.NativeLibrary;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Products of floats by oneDNN's matmul primitives, one for each shape, made when first needed. C is overwritten. */
final class DnnProduct implements NativeLibrary.Product {
    private static final int CACHE_SIZE = 1024;

    private record Key(boolean transposeA, boolean transposeB, long m, long n, long k, long lda, long ldb, long ldc) {}

    private final Map<Key, Primitive> cache = new ConcurrentHashMap<>();
    private final boolean bf16;

    /** With {@code bf16}, elements may be rounded to that before they are multiplied. */
    DnnProduct(boolean bf16) {
        this.bf16 = bf16;
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
        require(!accumulate, INTERNAL, "DnnProduct: overwrites C, and was asked to add to it");
        Key key = new Key(transposeA, transposeB, m, n, k, lda, ldb, ldc);
        Primitive product = cache.get(key);
        if (product == null) product = prepare(key);
        product.run(OneDnn.scratch(product.scratchBytes()), a, b, c);
    }

    private Primitive prepare(Key key) {
        OneDnn.useOneThread();
        if (cache.size() >= CACHE_SIZE) cache.clear();
        return cache.computeIfAbsent(key, s -> {
            long a = matrix(s.transposeA, s.m, s.k, s.lda), b = matrix(s.transposeB, s.k, s.n, s.ldb);
            long c = matrix(false, s.m, s.n, s.ldc);
            Primitive made = new Primitive(Dnn.product(a, b, c, bf16), Dnn.SRC, Dnn.WEIGHTS, Dnn.DST);
            for (long layout : new long[] {a, b, c}) Dnn.destroy("memory_desc", layout);
            return made;
        });
    }

    private static long matrix(boolean transposed, long rows, long columns, long step) {
        return Dnn.strided(List.of(rows, columns), transposed ? List.of(1L, step) : List.of(step, 1L));
    }
}
