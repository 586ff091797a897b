package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of cuDNN that are used; using the class loads it. */
final class Dnn {
    private static final MethodHandle VERSION = bind("cudnnGetVersion");
    private static final MethodHandle CREATE = bind("cudnnCreate", JAVA_LONG);
    private static final MethodHandle SET_STREAM = bind("cudnnSetStream", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle DESCRIPTOR = bind("cudnnBackendCreateDescriptor", JAVA_INT, JAVA_LONG);
    private static final MethodHandle DESTROY = bind("cudnnBackendDestroyDescriptor", JAVA_LONG);
    private static final MethodHandle FINALIZE = bind("cudnnBackendFinalize", JAVA_LONG);
    private static final MethodHandle SET =
            bind("cudnnBackendSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle GET =
            bind("cudnnBackendGetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle EXECUTE = bind("cudnnBackendExecute", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LAST_ERROR = bind("cudnnGetLastErrorString", JAVA_LONG, JAVA_LONG);

    private static final int MESSAGE = 1024;

    private Dnn() {}

    private static MethodHandle bind(String name, MemoryLayout... parameters) {
        return Natives.function(Libraries.Name.DNN, name, parameters);
    }

    private static void check(String function, int status) throws Throwable {
        if (status == 0) return;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(MESSAGE);
            int _ = (int) LAST_ERROR.invokeExact(text.address(), (long) MESSAGE - 1);
            throw new OxbowException(
                    ErrorCode.INTERNAL,
                    "cuDNN: %s failed with %d: %s"
                            .formatted(function, status, text.getString(0).strip()));
        }
    }

    /** Such as 91900 for 9.19.0. */
    static int version() {
        try {
            return (int) VERSION.invokeExact();
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** A handle for the card whose context is entered. */
    static long handle() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            check("cudnnCreate", (int) CREATE.invokeExact(p.address()));
            return p.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static long descriptor(int type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            check("cudnnBackendCreateDescriptor", (int) DESCRIPTOR.invokeExact(type, p.address()));
            return p.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static void destroy(long descriptor) {
        try {
            check("cudnnBackendDestroyDescriptor", (int) DESTROY.invokeExact(descriptor));
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static void finish(long descriptor, String what) {
        try {
            check("cudnnBackendFinalize of " + what, (int) FINALIZE.invokeExact(descriptor));
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Sets an attribute to {@code count} elements of a type, which lie at an address. */
    static void set(long descriptor, int attribute, int type, long count, long elements) {
        try {
            int status = (int) SET.invokeExact(descriptor, attribute, type, count, elements);
            check("cudnnBackendSetAttribute of " + attribute, status);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Writes up to {@code most} elements of an attribute to an address; gives how many there are. */
    static int get(long descriptor, int attribute, int type, long most, long elements) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_LONG);
            int status = (int) GET.invokeExact(descriptor, attribute, type, most, count.address(), elements);
            check("cudnnBackendGetAttribute of " + attribute, status);
            return Math.toIntExact(count.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Puts a plan into a stream; the status. */
    static int execute(long handle, long plan, long pack, long stream) {
        try {
            check("cudnnSetStream", (int) SET_STREAM.invokeExact(handle, stream));
            return (int) EXECUTE.invokeExact(handle, plan, pack);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }
}
