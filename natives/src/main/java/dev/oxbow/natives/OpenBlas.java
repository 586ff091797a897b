package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.kernels.Product;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** OpenBLAS's products, on the calling thread; using the class loads the library. */
final class OpenBlas {

    /*
     * The library starts a thread for every processor when it is loaded, and they spin for a while; it is told by its
     * environment variable not to, since nothing can be called earlier.
     */

    private static final String THREADS = "OPENBLAS_NUM_THREADS";

    static final SharedLibrary LIBRARY = Environment.with(
            THREADS,
            "1",
            () -> SharedLibrary.load("openblas", List.of("libgcc_s", "libquadmath", "libgfortran", "libopenblas")));

    private static final int ROW_MAJOR = 101;
    private static final int PLAIN = 111;
    private static final int TRANSPOSED = 112;

    private static final MethodHandle SGEMM = LIBRARY.function("cblas_sgemm", gemm(JAVA_FLOAT));

    static {
        try {
            LIBRARY.function("openblas_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT))
                    .invokeExact(1);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    /** Bound by the first product of doubles. */
    private static final class Doubles {
        static final MethodHandle GEMM = LIBRARY.function("cblas_dgemm", gemm(JAVA_DOUBLE));
    }

    private OpenBlas() {}

    private static FunctionDescriptor gemm(MemoryLayout real) {
        return FunctionDescriptor.ofVoid(
                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, real, JAVA_LONG, JAVA_INT, JAVA_LONG,
                JAVA_INT, real, JAVA_LONG, JAVA_INT);
    }

    static void sgemm(Product p, long a, long b, long c) {
        try {
            SGEMM.invokeExact(
                    ROW_MAJOR,
                    form(p.transposeA()),
                    form(p.transposeB()),
                    (int) p.m(),
                    (int) p.n(),
                    (int) p.k(),
                    1f,
                    a,
                    (int) p.strideA(),
                    b,
                    (int) p.strideB(),
                    p.accumulate() ? 1f : 0f,
                    c,
                    (int) p.strideC());
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    static void dgemm(Product p, long a, long b, long c) {
        try {
            Doubles.GEMM.invokeExact(
                    ROW_MAJOR,
                    form(p.transposeA()),
                    form(p.transposeB()),
                    (int) p.m(),
                    (int) p.n(),
                    (int) p.k(),
                    1.0,
                    a,
                    (int) p.strideA(),
                    b,
                    (int) p.strideB(),
                    p.accumulate() ? 1.0 : 0.0,
                    c,
                    (int) p.strideC());
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    private static int form(boolean transposed) {
        return transposed ? TRANSPOSED : PLAIN;
    }

    /** The version and the processor that its kernels were chosen for. */
    static String description() {
        return text("openblas_get_config")
                        .split(" {2,}| NO_| USE| DYNAMIC| MAX")[0]
                        .strip() + " (" + text("openblas_get_corename") + ")";
    }

    @SuppressWarnings("restricted")
    private static String text(String function) {
        try {
            MemorySegment s = (MemorySegment)
                    LIBRARY.function(function, FunctionDescriptor.of(ADDRESS)).invokeExact();
            return s.reinterpret(1024).getString(0);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }
}
