package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.kernels.Product;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** oneDNN on the calling thread; using the class loads the library. */
final class OneDnn {

    /*
     * oneDNN works on OpenMP's threads, whose number is a setting of each calling thread. It is looked up through
     * oneDNN itself, because a process may have several copies of OpenMP.
     */

    private static final int AVX2 = 0x7;
    private static final int AVX512 = 0x20;
    private static final int BF16 = 0x80;
    private static final int AMX = 0xe00;

    static final SharedLibrary LIBRARY = load();

    private static final MethodHandle SGEMM = LIBRARY.function(
            "dnnl_sgemm",
            FunctionDescriptor.of(
                    JAVA_INT,
                    JAVA_BYTE,
                    JAVA_BYTE,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_FLOAT,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_FLOAT,
                    JAVA_LONG,
                    JAVA_LONG));
    private static final MethodHandle SET_THREADS =
            LIBRARY.function("omp_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT));

    private static final ThreadLocal<Boolean> ALONE = ThreadLocal.withInitial(() -> {
        try {
            SET_THREADS.invokeExact(1);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
        return true;
    });

    /** The longest sums whose products have their copy of an operand on the stack. */
    static final long MOST_ON_STACK = 84;

    private static final long LINE = 64;
    private static final ThreadLocal<MemorySegment> SCRATCH = ThreadLocal.withInitial(() -> MemorySegment.NULL);

    /*
     * The library generates code the first time that it meets a kind of product, and two threads that do so at the same
     * moment have been seen to corrupt the C heap. So the first call for every shape is made by one thread at a time,
     * as is the making of primitives.
     */

    static final Object GENERATES = new Object();

    private static final int MOST_SEEN = 4096;
    private static final Set<Product> SEEN = ConcurrentHashMap.newKeySet();

    private OneDnn() {}

    private static SharedLibrary load() {
        if (!Platform.isX86()) throw new UnsatisfiedLinkError("it has fast kernels for x86 only");
        return SharedLibrary.load("dnnl", List.of("libgomp", "libomp", "libiomp5", "libdnnl", "dnnl"));
    }

    /** Must come before every call that computes. */
    static void useOneThread() {
        ALONE.get();
    }

    /** Memory of the calling thread, for one primitive at a time. */
    static long scratch(long bytes) {
        if (bytes == 0) return 0;
        MemorySegment scratch = SCRATCH.get();
        if (scratch.byteSize() < bytes) {
            scratch = Arena.ofAuto().allocate(bytes, LINE);
            SCRATCH.set(scratch);
        }
        return scratch.address();
    }

    static void sgemm(Product p, long a, long b, long c) {
        useOneThread();
        if (SEEN.contains(p)) {
            call(p, a, b, c);
            return;
        }
        synchronized (GENERATES) {
            call(p, a, b, c);
        }
        if (SEEN.size() < MOST_SEEN) SEEN.add(p);
    }

    private static void call(Product p, long a, long b, long c) {
        long signals = p.k() > MOST_ON_STACK ? Signals.hold() : 0;
        int status;
        try {
            status = (int) SGEMM.invokeExact(
                    (byte) (p.transposeA() ? 'T' : 'N'),
                    (byte) (p.transposeB() ? 'T' : 'N'),
                    p.m(),
                    p.n(),
                    p.k(),
                    1f,
                    a,
                    p.strideA(),
                    b,
                    p.strideB(),
                    p.accumulate() ? 1f : 0f,
                    c,
                    p.strideC());
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        } finally {
            Signals.release(signals);
        }
        SharedLibrary.check("dnnl_sgemm", status);
    }

    /** The version and the instruction set in use. */
    static String description() {
        try {
            MemorySegment v = SharedLibrary.pointee(
                    (MemorySegment) LIBRARY.function("dnnl_version", FunctionDescriptor.of(ADDRESS))
                            .invokeExact(),
                    12);
            return "oneDNN " + v.get(JAVA_INT, 0) + "." + v.get(JAVA_INT, 4) + ", " + instructions(isa());
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    /** From the bits of {@code dnnl_cpu_isa_t}; a wider set contains the bits of the narrower ones. */
    private static String instructions(int isa) {
        if ((isa & AVX512) == 0) return (isa & AVX2) == AVX2 ? "AVX2" : "SSE4.1";
        return "AVX-512" + ((isa & AMX) == AMX ? " with AMX" : (isa & BF16) != 0 ? " with bf16" : "");
    }

    /** Whether products are made of generated kernels for wide vectors. */
    static boolean hasAvx2() {
        return (isa() & AVX2) == AVX2;
    }

    /** Whether the processor multiplies bf16 numbers. */
    static boolean multipliesBf16() {
        return (isa() & BF16) != 0 || (isa() & AMX) == AMX;
    }

    private static int isa() {
        try {
            return (int) LIBRARY.function("dnnl_get_effective_cpu_isa", FunctionDescriptor.of(JAVA_INT))
                    .invokeExact();
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }
}
