package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** oneDNN's objects as addresses: descriptors, primitives and memories, and what makes them. */
final class Dnn {
    static final int SRC = 1;
    static final int DST = 17;
    static final int WEIGHTS = 33;
    static final int SCRATCHPAD = 80;
    static final int DIFF_SRC = 129;
    static final int DIFF_DST = 145;
    static final int DIFF_WEIGHTS = 161;

    private static final int CPU = 1;
    private static final int IN_ORDER = 1;
    private static final int F32 = 3;
    private static final int ANY = 1;
    private static final int FORWARD_TRAINING = 64;
    private static final int DIRECT = 1;
    private static final int USER_SCRATCHPAD = 1;
    private static final int BF16_MODE = 1;
    private static final int IMPL_INFO = 8;
    private static final int EXEC_ARG_MD = 255;

    private static final MethodHandle EXECUTE =
            handle("dnnl_primitive_execute", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final MethodHandle SET_HANDLE = handle("dnnl_memory_set_data_handle", JAVA_LONG, JAVA_LONG);

    static final long ENGINE = create("dnnl_engine_create", p -> {
        int status =
                (int) handle("dnnl_engine_create", ADDRESS, JAVA_INT, JAVA_LONG).invokeExact(p, CPU, 0L);
        return status;
    });
    /** Scratch memory comes from the caller. */
    private static final long ATTRIBUTES = attributes();

    private Dnn() {}

    private static MethodHandle handle(String function, MemoryLayout... arguments) {
        return OneDnn.LIBRARY.function(function, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    /** A call that stores the object it makes at the given address. */
    private interface Maker {
        int make(MemorySegment result) throws Throwable;
    }

    private static long create(String function, Maker maker) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(JAVA_LONG);
            SharedLibrary.check(function, maker.make(result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    static long stream() {
        return create("dnnl_stream_create", p ->
                (int) handle("dnnl_stream_create", ADDRESS, JAVA_LONG, JAVA_INT).invokeExact(p, ENGINE, IN_ORDER));
    }

    private static long attributes() {
        long attributes = create("dnnl_primitive_attr_create", p ->
                (int) handle("dnnl_primitive_attr_create", ADDRESS).invokeExact(p));
        set("dnnl_primitive_attr_set_scratchpad_mode", attributes, USER_SCRATCHPAD);
        return attributes;
    }

    private static void set(String function, long object, int value) {
        try {
            SharedLibrary.check(
                    function, (int) handle(function, JAVA_LONG, JAVA_INT).invokeExact(object, value));
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    private static MemorySegment array(Arena arena, List<Long> values) {
        return arena.allocateFrom(JAVA_LONG, values.stream().mapToLong(x -> x).toArray());
    }

    /** Floats with given distances between neighbours in each dimension. */
    static long strided(List<Long> dims, List<Long> strides) {
        return create("dnnl_memory_desc_create_with_strides", p -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int)
                        handle("dnnl_memory_desc_create_with_strides", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS)
                                .invokeExact(p, dims.size(), array(arena, dims), F32, array(arena, strides));
            }
        });
    }

    /** Floats in the layout that the primitive likes best. */
    static long any(List<Long> dims) {
        return create("dnnl_memory_desc_create_with_tag", p -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int) handle("dnnl_memory_desc_create_with_tag", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT)
                        .invokeExact(p, dims.size(), array(arena, dims), F32, ANY);
            }
        });
    }

    /** Strides, dilations less one, and paddings of a convolution. */
    record Geometry(List<Long> strides, List<Long> dilates, List<Long> before, List<Long> after) {}

    static long forward(long x, long w, long y, Geometry g) {
        return create("dnnl_convolution_forward_primitive_desc_create", p -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int) handle(
                                "dnnl_convolution_forward_primitive_desc_create",
                                ADDRESS,
                                JAVA_LONG,
                                JAVA_INT,
                                JAVA_INT,
                                JAVA_LONG,
                                JAVA_LONG,
                                JAVA_LONG,
                                JAVA_LONG,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                JAVA_LONG)
                        .invokeExact(
                                p,
                                ENGINE,
                                FORWARD_TRAINING,
                                DIRECT,
                                x,
                                w,
                                0L,
                                y,
                                array(arena, g.strides),
                                array(arena, g.dilates),
                                array(arena, g.before),
                                array(arena, g.after),
                                ATTRIBUTES);
            }
        });
    }

    static long backwardData(long dx, long w, long dy, Geometry g, long forward) {
        return create("dnnl_convolution_backward_data_primitive_desc_create", p -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int) handle(
                                "dnnl_convolution_backward_data_primitive_desc_create",
                                ADDRESS,
                                JAVA_LONG,
                                JAVA_INT,
                                JAVA_LONG,
                                JAVA_LONG,
                                JAVA_LONG,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                JAVA_LONG,
                                JAVA_LONG)
                        .invokeExact(
                                p,
                                ENGINE,
                                DIRECT,
                                dx,
                                w,
                                dy,
                                array(arena, g.strides),
                                array(arena, g.dilates),
                                array(arena, g.before),
                                array(arena, g.after),
                                forward,
                                ATTRIBUTES);
            }
        });
    }

    static long backwardWeights(long x, long dw, long dy, Geometry g, long forward) {
        return create("dnnl_convolution_backward_weights_primitive_desc_create", p -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int) handle(
                                "dnnl_convolution_backward_weights_primitive_desc_create",
                                ADDRESS,
                                JAVA_LONG,
                                JAVA_INT,
                                JAVA_LONG,
                                JAVA_LONG,
                                JAVA_LONG,
                                JAVA_LONG,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                ADDRESS,
                                JAVA_LONG,
                                JAVA_LONG)
                        .invokeExact(
                                p,
                                ENGINE,
                                DIRECT,
                                x,
                                dw,
                                0L,
                                dy,
                                array(arena, g.strides),
                                array(arena, g.dilates),
                                array(arena, g.before),
                                array(arena, g.after),
                                forward,
                                ATTRIBUTES);
            }
        });
    }

    static long reorder(long from, long to) {
        return create("dnnl_reorder_primitive_desc_create", p -> (int) handle(
                        "dnnl_reorder_primitive_desc_create",
                        ADDRESS,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG)
                .invokeExact(p, from, ENGINE, to, ENGINE, ATTRIBUTES));
    }

    /** A product that with {@code bf16} may round its operands to that. */
    static long product(long a, long b, long c, boolean bf16) {
        return create("dnnl_matmul_primitive_desc_create", p -> (int) handle(
                        "dnnl_matmul_primitive_desc_create",
                        ADDRESS,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG,
                        JAVA_LONG)
                .invokeExact(p, ENGINE, a, b, 0L, c, bf16 ? Bf16.ATTRIBUTES : ATTRIBUTES));
    }

    private static final class Bf16 {
        static final long ATTRIBUTES = attributes();

        static {
            set("dnnl_primitive_attr_set_fpmath_mode", ATTRIBUTES, BF16_MODE);
        }
    }

    static long primitive(long description) {
        return create("dnnl_primitive_create", p ->
                (int) handle("dnnl_primitive_create", ADDRESS, JAVA_LONG).invokeExact(p, description));
    }

    /** A primitive's own description, which lives as long as it does. */
    static long description(long primitive) {
        return create("dnnl_primitive_get_primitive_desc", p -> (int)
                handle("dnnl_primitive_get_primitive_desc", JAVA_LONG, ADDRESS).invokeExact(primitive, p));
    }

    /** The layout of an argument of a primitive; it lives as long as the primitive's description. */
    static long layout(long description, int argument) {
        try {
            return (long) OneDnn.LIBRARY
                    .function(
                            "dnnl_primitive_desc_query_md",
                            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT))
                    .invokeExact(description, EXEC_ARG_MD, argument);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    static long bytes(long layout) {
        if (layout == 0) return 0;
        try {
            return (long) OneDnn.LIBRARY
                    .function("dnnl_memory_desc_get_size", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG))
                    .invokeExact(layout);
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    static boolean isSame(long layout, long other) {
        try {
            return (int) handle("dnnl_memory_desc_equal", JAVA_LONG, JAVA_LONG).invokeExact(layout, other) != 0;
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    /** The name of the kernel that a primitive uses. */
    static String implementation(long description) {
        long text = create(
                "dnnl_primitive_desc_query",
                p -> (int) handle("dnnl_primitive_desc_query", JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS)
                        .invokeExact(description, IMPL_INFO, 0, p));
        return SharedLibrary.pointee(MemorySegment.ofAddress(text), 256).getString(0);
    }

    static long memory(long layout) {
        return create(
                "dnnl_memory_create", p -> (int) handle("dnnl_memory_create", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG)
                        .invokeExact(p, layout, ENGINE, 0L));
    }

    /** Lets a memory stand for what is at an address. */
    static void place(long memory, long address) {
        try {
            SharedLibrary.check("dnnl_memory_set_data_handle", (int) SET_HANDLE.invokeExact(memory, address));
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    static void execute(long primitive, long stream, int count, long arguments) {
        try {
            SharedLibrary.check(
                    "dnnl_primitive_execute", (int) EXECUTE.invokeExact(primitive, stream, count, arguments));
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }

    /** Ends the life of an object that a function of {@code dnnl_KIND_destroy} is for. */
    static void destroy(String kind, long object) {
        String function = "dnnl_" + kind + "_destroy";
        try {
            SharedLibrary.check(function, (int) handle(function, JAVA_LONG).invokeExact(object));
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }
}
