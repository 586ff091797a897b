package dev.oxbow.natives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** Keeps signals from the calling thread while it runs code that has no stack for them. */
final class Signals {

    /*
     * oneDNN's sgemm copies a part of an operand into a block of the C heap and, until version 3.12, points the stack
     * pointer at it while it multiplies. The system then puts the frame of a signal over whatever the heap has below that
     * block. Profilers send signals to threads that compute, JFR among them; so they wait until the product is done. Faults
     * do not, since the system ends a process that holds them back. Numbers are those of Linux; elsewhere nothing is held.
     */

    private static final int SET_MASK = 2;
    private static final int MASK_BYTES = 128;

    /** SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS. */
    private static final List<Integer> FAULTS = List.of(4, 5, 7, 8, 11, 31);

    private static final MethodHandle SET = Platform.isLinux() ? set() : null;
    private static final long HELD = held().address();
    private static final ThreadLocal<MemorySegment> BEFORE =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(MASK_BYTES, Long.BYTES));

    private Signals() {}

    @SuppressWarnings("restricted")
    private static MethodHandle set() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find("pthread_sigmask").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    private static MemorySegment held() {
        MemorySegment all = Arena.global().allocate(MASK_BYTES, Long.BYTES).fill((byte) -1);
        for (int signal : FAULTS) {
            int at = (signal - 1) / Byte.SIZE, bit = 1 << (signal - 1) % Byte.SIZE;
            all.set(JAVA_BYTE, at, (byte) (all.get(JAVA_BYTE, at) & ~bit));
        }
        return all;
    }

    /** Lets signals to this thread wait, and returns what {@link #release} needs. */
    static long hold() {
        if (SET == null) return 0;
        long before = BEFORE.get().address();
        mask(HELD, before);
        return before;
    }

    /** Takes signals as before; 0 where none were held. */
    static void release(long before) {
        if (before != 0) mask(before, 0);
    }

    private static void mask(long mask, long before) {
        try {
            SharedLibrary.check("pthread_sigmask", (int) SET.invokeExact(SET_MASK, mask, before));
        } catch (Throwable e) {
            throw SharedLibrary.unexpected(e);
        }
    }
}
