package dev.oxbow.net.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.locks.LockSupport;

/** Sleeping on a word of memory that processes share: Linux's futex, or short naps where there is none. */
final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final long NAP = 50_000;
    private static final long NANOS = 1_000_000_000;
    private static final int NUMBER = number();
    private static final MethodHandle SYSCALL = NUMBER < 0 ? null : syscall();

    private Futex() {}

    private static int number() {
        if (!System.getProperty("os.name").equals("Linux")) return -1;
        return switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> 202;
            case "aarch64", "riscv64" -> 98;
            default -> -1;
        };
    }

    @SuppressWarnings("restricted")
    private static MethodHandle syscall() {
        try {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
                    Linker.Option.firstVariadicArg(1));
        } catch (RuntimeException e) {
            return null; // native access is denied to this module
        }
    }

    /** Sleeps for up to {@code nanos} while the word is {@code value}; {@code time} is 16 bytes for its own use. */
    static void sleep(long word, int value, long nanos, long time) {
        if (SYSCALL == null) {
            LockSupport.parkNanos(Math.min(nanos, NAP));
            return;
        }
        Memory.putLong(time, nanos / NANOS);
        Memory.putLong(time + 8, nanos % NANOS);
        call(word, WAIT, value, time);
    }

    /** Wakes whoever sleeps on the word. */
    static void wake(long word) {
        if (SYSCALL != null) call(word, WAKE, Integer.MAX_VALUE, 0);
    }

    private static void call(long word, int operation, int value, long time) {
        try {
            long _ = (long) SYSCALL.invokeExact((long) NUMBER, word, operation, value, time, 0L, 0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
