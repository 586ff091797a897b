package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of cuBLASLt that are used; using the class loads it. */
final class BlasLt {
    private static final MethodHandle VERSION = bind("cublasLtGetVersion");
    private static final MethodHandle CREATE = bind("cublasLtCreate", JAVA_LONG);
    private static final MethodHandle PRODUCT = bind("cublasLtMatmulDescCreate", JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle SET_PRODUCT =
            bind("cublasLtMatmulDescSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LAYOUT =
            bind("cublasLtMatrixLayoutCreate", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SET_LAYOUT =
            bind("cublasLtMatrixLayoutSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PREFERENCE = bind("cublasLtMatmulPreferenceCreate", JAVA_LONG);
    private static final MethodHandle SET_PREFERENCE =
            bind("cublasLtMatmulPreferenceSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle HEURISTIC = bind(
            "cublasLtMatmulAlgoGetHeuristic",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG);
    private static final MethodHandle MULTIPLY = bind(
            "cublasLtMatmul",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);

    private static final int UNSUPPORTED = 15;

    private BlasLt() {}

    private static MethodHandle bind(String name, MemoryLayout... parameters) {
        return Natives.function(Libraries.Name.BLAS_LT, name, parameters);
    }

    private static void check(String function, int status) {
        if (status != 0)
            throw new OxbowException(ErrorCode.UNAVAILABLE, "cuBLASLt: %s failed with %d".formatted(function, status));
    }

    private interface Giving {
        int call(long to) throws Throwable;
    }

    private static long give(String function, Giving call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            check(function, call.call(p.address()));
            return p.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Such as 130100 for 13.1. */
    static int version() {
        try {
            return (int) VERSION.invokeExact();
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static long handle() {
        return give("cublasLtCreate", p -> (int) CREATE.invokeExact(p));
    }

    static long product(int compute, int scale) {
        return give("cublasLtMatmulDescCreate", p -> (int) PRODUCT.invokeExact(p, compute, scale));
    }

    static long layout(int type, long rows, long columns, long stride) {
        return give("cublasLtMatrixLayoutCreate", p -> (int) LAYOUT.invokeExact(p, type, rows, columns, stride));
    }

    static long preference() {
        return give("cublasLtMatmulPreferenceCreate", p -> (int) PREFERENCE.invokeExact(p));
    }

    /** Sets an attribute of {@code bytes} bytes, 4 or 8. */
    private static void set(MethodHandle setter, String function, long object, int attribute, long value, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            p.set(JAVA_LONG, 0, value);
            check(function, (int) setter.invokeExact(object, attribute, p.address(), bytes));
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static void setProduct(long product, int attribute, long value, long bytes) {
        set(SET_PRODUCT, "cublasLtMatmulDescSetAttribute", product, attribute, value, bytes);
    }

    static void setLayout(long layout, int attribute, long value, long bytes) {
        set(SET_LAYOUT, "cublasLtMatrixLayoutSetAttribute", layout, attribute, value, bytes);
    }

    static void setPreference(long preference, int attribute, long value, long bytes) {
        set(SET_PREFERENCE, "cublasLtMatmulPreferenceSetAttribute", preference, attribute, value, bytes);
    }

    /** Fills {@code results} with the algorithms that are likely fastest; gives how many there are, 0 where it can not be done. */
    static int heuristics(
            long handle, long product, long a, long b, long c, long d, long preference, int most, long results) {
        return (int) give("cublasLtMatmulAlgoGetHeuristic", p -> {
            int status = (int) HEURISTIC.invokeExact(handle, product, a, b, c, d, preference, most, results, p);
            return status == UNSUPPORTED ? 0 : status;
        });
    }

    /** A matrix: its place on the card and its layout. */
    record Matrix(long place, long layout) {}

    /** How a product is computed: an algorithm and memory for it. */
    record Means(long algorithm, long workspace, long bytes) {}

    /** {@code d = alpha a b + beta c}, with the addresses of both factors and the place of c, which lies as d does; gives a status. */
    static int multiply(
            long handle,
            long product,
            long alpha,
            Matrix a,
            Matrix b,
            long beta,
            long c,
            Matrix d,
            Means m,
            long stream) {
        try {
            return (int) MULTIPLY.invokeExact(
                    handle,
                    product,
                    alpha,
                    a.place,
                    a.layout,
                    b.place,
                    b.layout,
                    beta,
                    c,
                    d.layout,
                    d.place,
                    d.layout,
                    m.algorithm,
                    m.workspace,
                    m.bytes,
                    stream);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }
}
