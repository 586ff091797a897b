package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Product;

/** Products of floats: oneDNN's where they are large and wide, OpenBLAS's where the call itself matters. */
final class FloatProduct implements NativeLibrary.Multiplier {

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
    public void run(Product p, long a, long b, long c) {
        if (ONE_DNN && (!OPEN_BLAS || p.n() >= WIDE && p.work() >= LARGE)) OneDnn.sgemm(p, a, b, c);
        else OpenBlas.sgemm(p, a, b, c);
    }
}
