package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;

/** Products of floats: oneDNN's where they are large and wide, OpenBLAS's where the call itself matters. */
final class FloatProduct implements NativeLibrary.Product {

    /*
     * Measured on AVX-512, one thread: 128 x 512 x 784 runs at 100 to 135 GFLOP/s in oneDNN and 75 in OpenBLAS; 32^3
     * takes 1.9 and 0.7 microseconds; ten columns run up to 2.5 times as fast in OpenBLAS. The choice depends on the
     * shape alone.
     */

    private static final long LARGE = 1 << 18;
    private static final long WIDE = 16;

    private static final boolean ONE_DNN = Natives.hasOneDnn();
    private static final boolean OPEN_BLAS = Natives.hasOpenBlas();

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
        if (ONE_DNN && (!OPEN_BLAS || n >= WIDE && m * n * k >= LARGE))
            OneDnn.sgemm(transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
        else OpenBlas.sgemm(transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
    }
}
