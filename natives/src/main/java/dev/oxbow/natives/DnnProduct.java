package dev.oxbow.natives;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Product;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Products of floats by oneDNN's matmul primitives, one for each shape, made when first needed. C is overwritten. */
final class DnnProduct implements NativeLibrary.Multiplier {
    private static final int CACHE_SIZE = 1024;

    private final Map<Product, Primitive> cache = new ConcurrentHashMap<>();
    private final boolean bf16;

    /** With {@code bf16}, elements may be rounded to that before they are multiplied. */
    DnnProduct(boolean bf16) {
        this.bf16 = bf16;
    }

    @Override
    public void run(Product p, long a, long b, long c) {
        require(!p.accumulate(), INTERNAL, "DnnProduct: overwrites C, and was asked to add to it");
        Primitive product = cache.get(p);
        if (product == null) product = prepare(p);
        product.run(OneDnn.scratch(product.scratchBytes()), a, b, c);
    }

    private Primitive prepare(Product p) {
        OneDnn.useOneThread();
        if (cache.size() >= CACHE_SIZE) cache.clear();
        return cache.computeIfAbsent(p, _ -> {
            long a = matrix(p.transposeA(), p.m(), p.k(), p.strideA());
            long b = matrix(p.transposeB(), p.k(), p.n(), p.strideB()), c = matrix(false, p.m(), p.n(), p.strideC());
            Primitive made = new Primitive(Dnn.product(a, b, c, bf16), Dnn.SRC, Dnn.WEIGHTS, Dnn.DST);
            for (long layout : new long[] {a, b, c}) Dnn.destroy("memory_desc", layout);
            return made;
        });
    }

    private static long matrix(boolean transposed, long rows, long columns, long step) {
        return Dnn.strided(List.of(rows, columns), transposed ? List.of(1L, step) : List.of(step, 1L));
    }
}
