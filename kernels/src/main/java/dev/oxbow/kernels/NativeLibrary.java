package dev.oxbow.kernels;

import dev.oxbow.tensor.DType;
import java.util.Optional;

/**
 * Kernels of native libraries, provided by an optional module and found by ServiceLoader. Nothing is loaded before it
 * is asked for, what cannot be loaded is absent, and every call works on the calling thread alone.
 */
public interface NativeLibrary {

    /** The product of f32 or f64 matrices; the first call for a dtype loads the library behind it. */
    Optional<Product> product(DType dtype);

    /** The libraries, their versions and the instructions that they use; loads them. */
    String description();

    /** The library on this module or class path. */
    static Optional<NativeLibrary> installed() {
        return InstalledLibrary.FOUND;
    }

    /** A matrix product with the contract of {@link dev.oxbow.kernels.numeric.Gemm}, for sizes below 2^31. */
    interface Product {
        void run(
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
                boolean accumulate);
    }
}
