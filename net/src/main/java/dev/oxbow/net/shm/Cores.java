package dev.oxbow.net.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The cores that threads run on, as Linux numbers them. */
final class Cores {

    /*
     * Who wakes a thread on Linux often gets it onto its own core, since the two will share something. Two ends of a ring then
     * copy in turns, though another core has nothing to do, and that core comes to help only after some milliseconds, when
     * a transfer is over: 64 MB took 6.7 ms and not 4.5, with both ends on one core in 6 of 10 looks. A thread that may not
     * run where it is must move at once; afterwards it may be anywhere again.
     */

    private static final int BYTES = 128;
    private static final MethodHandle HERE = call("sched_getcpu", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GET =
            call("sched_getaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SET =
            call("sched_setaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

    private Cores() {}

    @SuppressWarnings("restricted")
    private static MethodHandle call(String name, FunctionDescriptor type) {
        if (!Memory.isNative() || !System.getProperty("os.name").equals("Linux")) return null;
        try {
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup()
                    .find(name)
                    .map(f -> linker.downcallHandle(f, type))
                    .orElse(null);
        } catch (RuntimeException e) {
            return null; // native access is denied to this module
        }
    }

    /** The core that this thread runs on, or -1 where nobody says. */
    static int here() {
        if (HERE == null || GET == null || SET == null) return -1;
        try {
            return (int) HERE.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Moves this thread to another core than that one, where it may use another; whether it did. */
    static boolean leave(int core) {
        if (Thread.currentThread().isVirtual() || core < 0 || core >= 8 * BYTES) return false;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(BYTES, 8), others = arena.allocate(BYTES, 8);
            int size = (int) GET.invokeExact(0, (long) BYTES, all.address());
            if (size < 0) return false;
            others.copyFrom(all);
            long at = core / 64 * 8L;
            others.set(JAVA_LONG, at, others.get(JAVA_LONG, at) & ~(1L << core));
            int moved = (int) SET.invokeExact(0, (long) BYTES, others.address()); // refused where no other is left
            if (moved != 0) return false;
            int back = (int) SET.invokeExact(0, (long) BYTES, all.address());
            return back == 0;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
