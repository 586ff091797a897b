package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** NVIDIA's compiler of CUDA C as a library; it needs no card and no driver. */
final class Nvrtc {
    private static final MethodHandle VERSION = bind("nvrtcVersion", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CREATE =
            bind("nvrtcCreateProgram", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle COMPILE = bind("nvrtcCompileProgram", JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final MethodHandle LOG_SIZE = bind("nvrtcGetProgramLogSize", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LOG = bind("nvrtcGetProgramLog", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SIZE = bind("nvrtcGetCUBINSize", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle BINARY = bind("nvrtcGetCUBIN", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle DESTROY = bind("nvrtcDestroyProgram", JAVA_LONG);

    private Nvrtc() {}

    private static MethodHandle bind(String name, MemoryLayout... parameters) {
        return Natives.function(Libraries.Name.NVRTC, name, parameters);
    }

    private static void check(String function, int status) {
        if (status != 0)
            throw new OxbowException(ErrorCode.INTERNAL, "NVRTC: %s failed with %d".formatted(function, status));
    }

    /** Such as 13.0. */
    static String version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_INT, 2);
            check("nvrtcVersion", (int) VERSION.invokeExact(p.address(), p.address() + 4));
            return p.get(JAVA_INT, 0) + "." + p.get(JAVA_INT, 4);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Machine code for an architecture such as {@code sm_90a}; what the compiler says of a mistake is in the error. */
    static byte[] compile(String source, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(JAVA_LONG);
            check("nvrtcCreateProgram", (int) CREATE.invokeExact(
                    handle.address(),
                    arena.allocateFrom(source).address(),
                    arena.allocateFrom("kernel.cu").address(),
                    0,
                    0L,
                    0L));
            try {
                return compiled(handle.get(JAVA_LONG, 0), source, options, arena);
            } finally {
                check("nvrtcDestroyProgram", (int) DESTROY.invokeExact(handle.address()));
            }
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    private static byte[] compiled(long program, String source, List<String> options, Arena arena) throws Throwable {
        MemorySegment pointers = arena.allocate(JAVA_LONG, options.size());
        for (int i = 0; i < options.size(); i++)
            pointers.setAtIndex(JAVA_LONG, i, arena.allocateFrom(options.get(i)).address());
        int status = (int) COMPILE.invokeExact(program, options.size(), pointers.address());
        MemorySegment size = arena.allocate(JAVA_LONG);
        if (status != 0) {
            check("nvrtcGetProgramLogSize", (int) LOG_SIZE.invokeExact(program, size.address()));
            MemorySegment log = arena.allocate(size.get(JAVA_LONG, 0) + 1);
            check("nvrtcGetProgramLog", (int) LOG.invokeExact(program, log.address()));
            throw new OxbowException(
                    ErrorCode.INTERNAL,
                    "NVRTC: a generated kernel does not compile: %s\n%s".formatted(log.getString(0), source));
        }
        check("nvrtcGetCUBINSize", (int) SIZE.invokeExact(program, size.address()));
        MemorySegment binary = arena.allocate(size.get(JAVA_LONG, 0));
        check("nvrtcGetCUBIN", (int) BINARY.invokeExact(program, binary.address()));
        return binary.toArray(ValueLayout.JAVA_BYTE);
    }
}
