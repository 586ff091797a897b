package dev.oxbow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.Set;

/** The functions of the driver that are used; using the class loads it. */
final class Driver {
    static final int SUCCESS = 0;
    static final int OUT_OF_MEMORY = 2;
    static final int NOT_READY = 600;

    private static final MethodHandle INIT = bind("cuInit", JAVA_INT);
    private static final MethodHandle VERSION = bind("cuDriverGetVersion", JAVA_LONG);
    private static final MethodHandle COUNT = bind("cuDeviceGetCount", JAVA_LONG);
    private static final MethodHandle DEVICE = bind("cuDeviceGet", JAVA_LONG, JAVA_INT);
    private static final MethodHandle NAME = bind("cuDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle ATTRIBUTE = bind("cuDeviceGetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle TOTAL = bind("cuDeviceTotalMem_v2", JAVA_LONG, JAVA_INT);
    private static final MethodHandle RETAIN = bind("cuDevicePrimaryCtxRetain", JAVA_LONG, JAVA_INT);
    private static final MethodHandle SET_CURRENT = bind("cuCtxSetCurrent", JAVA_LONG);
    private static final MethodHandle MEMORY_INFO = bind("cuMemGetInfo_v2", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle ALLOCATE = bind("cuMemAlloc_v2", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FREE = bind("cuMemFree_v2", JAVA_LONG);
    private static final MethodHandle ALLOCATE_HOST = bind("cuMemHostAlloc", JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FREE_HOST = bind("cuMemFreeHost", JAVA_LONG);
    private static final MethodHandle TO_DEVICE =
            bind("cuMemcpyHtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle TO_HOST =
            bind("cuMemcpyDtoHAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WITHIN = bind("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle BETWEEN =
            bind("cuMemcpyPeerAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FILL = bind("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle STREAM = bind("cuStreamCreate", JAVA_LONG, JAVA_INT);
    private static final MethodHandle SYNCHRONIZE = bind("cuStreamSynchronize", JAVA_LONG);
    private static final MethodHandle BEGIN_CAPTURE = bind("cuStreamBeginCapture_v2", JAVA_LONG, JAVA_INT);
    private static final MethodHandle END_CAPTURE = bind("cuStreamEndCapture", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CAPTURED =
            bind("cuStreamGetCaptureInfo_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FOLLOW =
            bind("cuStreamUpdateCaptureDependencies", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FOLLOW_EARLY =
            newer("cuStreamUpdateCaptureDependencies_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle NODE_KIND = bind("cuGraphNodeGetType", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle INSTANTIATE =
            bind("cuGraphInstantiateWithFlags", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LAUNCH_GRAPH = bind("cuGraphLaunch", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle DESTROY_GRAPH = bind("cuGraphDestroy", JAVA_LONG);
    private static final MethodHandle DESTROY_EXECUTABLE = bind("cuGraphExecDestroy", JAVA_LONG);
    private static final MethodHandle EVENT = bind("cuEventCreate", JAVA_LONG, JAVA_INT);
    private static final MethodHandle RECORD = bind("cuEventRecord", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WAIT = bind("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle QUERY = bind("cuEventQuery", JAVA_LONG);
    private static final MethodHandle AWAIT_EVENT = bind("cuEventSynchronize", JAVA_LONG);
    private static final MethodHandle ELAPSED = bind("cuEventElapsedTime", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle MODULE = bind("cuModuleLoadData", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FUNCTION = bind("cuModuleGetFunction", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle LAUNCH = bind(
            "cuLaunchKernel",
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
    private static final MethodHandle LAUNCH_MEETING = bind(
            "cuLaunchCooperativeKernel",
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG);
    private static final MethodHandle ERROR_NAME = bind("cuGetErrorName", JAVA_INT, JAVA_LONG);

    private Driver() {}

    /** CUgraphEdgeData: from the port of early launches (1), to the only one (0), of the kind that is early (1). */
    private static final long EARLY = 0x01_00_01;

    private static MethodHandle newer(String name, MemoryLayout... parameters) {
        return Natives.newer(Libraries.Name.DRIVER, name, parameters);
    }

    private static MethodHandle bind(String name, MemoryLayout... parameters) {
        return Natives.function(Libraries.Name.DRIVER, name, parameters);
    }

    /** Errors after which nothing on a card works any more in this process: bad memory, a kernel that failed, a card that is gone. */
    private static final Set<Integer> FATAL =
            Set.of(46, 101, 201, 214, 220, 700, 702, 708, 709, 710, 714, 715, 716, 717, 718, 719);

    /** What goes wrong in the driver, by its own name for it. */
    static OxbowException failure(String function, int status) {
        if (FATAL.contains(status)) return Card.lost("%s failed: %s".formatted(function, errorName(status)));
        ErrorCode code = status == OUT_OF_MEMORY ? ErrorCode.RESOURCE_EXHAUSTED : ErrorCode.UNAVAILABLE;
        return new OxbowException(code, "CUDA: %s failed: %s".formatted(function, errorName(status)));
    }

    static void check(String function, int status) {
        if (status != SUCCESS) throw failure(function, status);
    }

    @SuppressWarnings("restricted")
    static String errorName(int status) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG);
            int unknown = (int) ERROR_NAME.invokeExact(status, p.address());
            if (unknown != SUCCESS) return "error " + status;
            String name = MemorySegment.ofAddress(p.get(JAVA_LONG, 0))
                    .reinterpret(256)
                    .getString(0);
            return "%s (%d)".formatted(name, status);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** A call that writes one long. */
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

    /** A call that gives nothing but its status. */
    private interface Plain {
        int call() throws Throwable;
    }

    private static void plain(String function, Plain call) {
        try {
            check(function, call.call());
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static int initialise() {
        try {
            return (int) INIT.invokeExact(0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Such as 13000 for 13.0. */
    static int version() {
        return (int) give("cuDriverGetVersion", p -> (int) VERSION.invokeExact(p));
    }

    static int cards() {
        return (int) give("cuDeviceGetCount", p -> (int) COUNT.invokeExact(p));
    }

    static int card(int ordinal) {
        return (int) give("cuDeviceGet", p -> (int) DEVICE.invokeExact(p, ordinal));
    }

    static String name(int card) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(256);
            check("cuDeviceGetName", (int) NAME.invokeExact(text.address(), 256, card));
            return text.getString(0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static int attribute(int card, int attribute) {
        return (int) give("cuDeviceGetAttribute", p -> (int) ATTRIBUTE.invokeExact(p, attribute, card));
    }

    static long totalMemory(int card) {
        return give("cuDeviceTotalMem", p -> (int) TOTAL.invokeExact(p, card));
    }

    /** The context that all of a process shares. */
    static long context(int card) {
        return give("cuDevicePrimaryCtxRetain", p -> (int) RETAIN.invokeExact(p, card));
    }

    static void enter(long context) {
        plain("cuCtxSetCurrent", () -> (int) SET_CURRENT.invokeExact(context));
    }

    static long freeMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG, 2);
            check("cuMemGetInfo", (int) MEMORY_INFO.invokeExact(p.address(), p.address() + 8));
            return p.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static long allocate(long bytes) {
        return give("cuMemAlloc", p -> (int) ALLOCATE.invokeExact(p, bytes));
    }

    static void free(long place) {
        plain("cuMemFree", () -> (int) FREE.invokeExact(place));
    }

    /** Memory of the host that does not move, under the same address for card and host. */
    static long allocatePinned(long bytes) {
        return give("cuMemHostAlloc", p -> (int) ALLOCATE_HOST.invokeExact(p, bytes, 3));
    }

    static void freePinned(long address) {
        plain("cuMemFreeHost", () -> (int) FREE_HOST.invokeExact(address));
    }

    static void toDevice(long place, long address, long bytes, long stream) {
        plain("cuMemcpyHtoDAsync", () -> (int) TO_DEVICE.invokeExact(place, address, bytes, stream));
    }

    static void toHost(long address, long place, long bytes, long stream) {
        plain("cuMemcpyDtoHAsync", () -> (int) TO_HOST.invokeExact(address, place, bytes, stream));
    }

    /** Between places of the card and of pinned memory, in any direction. */
    static void copy(long to, long from, long bytes, long stream) {
        plain("cuMemcpyAsync", () -> (int) WITHIN.invokeExact(to, from, bytes, stream));
    }

    /** From a place in one context to a place in another. */
    static void copy(long to, long toContext, long from, long fromContext, long bytes, long stream) {
        plain("cuMemcpyPeerAsync", () -> (int) BETWEEN.invokeExact(to, toContext, from, fromContext, bytes, stream));
    }

    static void fill(long place, byte value, long bytes, long stream) {
        plain("cuMemsetD8Async", () -> (int) FILL.invokeExact(place, value, bytes, stream));
    }

    /** A stream that does not wait for the default one. */
    static long stream() {
        return give("cuStreamCreate", p -> (int) STREAM.invokeExact(p, 1));
    }

    static void synchronize(long stream) {
        plain("cuStreamSynchronize", () -> (int) SYNCHRONIZE.invokeExact(stream));
    }

    /** What this thread puts into the stream from now on is noted, not done; other threads do what they like. */
    static void beginCapture(long stream) {
        plain("cuStreamBeginCapture", () -> (int) BEGIN_CAPTURE.invokeExact(stream, 1));
    }

    /** The nodes that what is captured next would follow: those of what was captured last. */
    @SuppressWarnings("restricted")
    static long[] captured(long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG, 5);
            long at = p.address();
            check("cuStreamGetCaptureInfo", (int) CAPTURED.invokeExact(stream, at, at + 8, at + 16, at + 24, at + 32));
            long n = p.get(JAVA_LONG, 32);
            return MemorySegment.ofAddress(p.get(JAVA_LONG, 24))
                    .reinterpret(8 * n)
                    .toArray(JAVA_LONG);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Whether edges of graphs can say that a kernel is launched early. */
    static boolean hasEarlyEdges() {
        return FOLLOW_EARLY != null;
    }

    /** Has what is captured next follow these nodes alone: a kernel those that are {@code early} before they have ended. */
    static void follow(long stream, long[] nodes, BitSet early) {
        int n = nodes.length;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment p = arena.allocate(JAVA_LONG, 2L * Math.max(1, n));
            MemorySegment.copy(nodes, 0, p, JAVA_LONG, 0, n);
            early.stream().forEach(i -> p.setAtIndex(JAVA_LONG, n + i, EARLY));
            long at = p.address(), edges = at + 8L * n;
            int status = early.isEmpty()
                    ? (int) FOLLOW.invokeExact(stream, at, (long) n, 1)
                    : (int) FOLLOW_EARLY.invokeExact(stream, at, edges, (long) n, 1);
            check("cuStreamUpdateCaptureDependencies", status);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** Whether a node of a graph is a kernel. */
    static boolean isKernel(long node) {
        return (int) give("cuGraphNodeGetType", p -> (int) NODE_KIND.invokeExact(node, p)) == 0;
    }

    /** An executable of what was noted. */
    static long endCapture(long stream) {
        long graph = give("cuStreamEndCapture", p -> (int) END_CAPTURE.invokeExact(stream, p));
        try {
            return give("cuGraphInstantiate", p -> (int) INSTANTIATE.invokeExact(p, graph, 0L));
        } finally {
            plain("cuGraphDestroy", () -> (int) DESTROY_GRAPH.invokeExact(graph));
        }
    }

    static void launchGraph(long executable, long stream) {
        plain("cuGraphLaunch", () -> (int) LAUNCH_GRAPH.invokeExact(executable, stream));
    }

    static void destroyExecutable(long executable) {
        plain("cuGraphExecDestroy", () -> (int) DESTROY_EXECUTABLE.invokeExact(executable));
    }

    /** An event; one that takes times is slower. */
    static long event(boolean timed) {
        return give("cuEventCreate", p -> (int) EVENT.invokeExact(p, timed ? 0 : 2));
    }

    static void record(long event, long stream) {
        plain("cuEventRecord", () -> (int) RECORD.invokeExact(event, stream));
    }

    /** Has a stream, of any card, wait for an event. */
    static void await(long stream, long event) {
        plain("cuStreamWaitEvent", () -> (int) WAIT.invokeExact(stream, event, 0));
    }

    static boolean isReached(long event) {
        try {
            int status = (int) QUERY.invokeExact(event);
            if (status == NOT_READY) return false;
            check("cuEventQuery", status);
            return true;
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    static void await(long event) {
        plain("cuEventSynchronize", () -> (int) AWAIT_EVENT.invokeExact(event));
    }

    static float milliseconds(long from, long to) {
        int bits = (int) give("cuEventElapsedTime", p -> (int) ELAPSED.invokeExact(p, from, to));
        return Float.intBitsToFloat(bits);
    }

    static long load(MemorySegment binary) {
        return give("cuModuleLoadData", p -> (int) MODULE.invokeExact(p, binary.address()));
    }

    static long function(long module, String name) {
        try (Arena arena = Arena.ofConfined()) {
            long text = arena.allocateFrom(name).address();
            return give("cuModuleGetFunction", p -> (int) FUNCTION.invokeExact(p, module, text));
        }
    }

    /** Puts a kernel into a stream; {@code pointers} is the address of an array of addresses of its arguments. */
    static void launch(long function, int gridX, int gridY, int threads, long pointers, long stream) {
        try {
            int status = (int) LAUNCH.invokeExact(function, gridX, gridY, 1, threads, 1, 1, 0, stream, pointers, 0L);
            if (status != SUCCESS) throw failure("cuLaunchKernel", status);
        } catch (Throwable e) {
            throw Natives.unexpected(e);
        }
    }

    /** The same for a kernel whose blocks wait for each other: refused where they can not all run at the same time. */
    static void launchMeeting(long function, int blocks, int threads, long pointers, long stream) {
        plain("cuLaunchCooperativeKernel", () ->
                (int) LAUNCH_MEETING.invokeExact(function, blocks, 1, 1, threads, 1, 1, 0, stream, pointers));
    }
}
