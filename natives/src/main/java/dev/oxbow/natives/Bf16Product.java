package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;

/**
 * Products of floats whose elements are rounded to bf16, 8 bits of mantissa, before they are multiplied; sums are f32.
 * Every term of a sum has a relative error of about 2^-8. Small products and those that add to C stay exact.
 */
final class Bf16Product implements NativeLibrary.Product {
    private static final long LARGE = 1 << 18;

    private final NativeLibrary.Product exact;
    private final NativeLibrary.Product rounded = new DnnProduct(true);

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
        (accumulate || m * n * k < LARGE ? exact : rounded)
                .run(transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
    }
}
