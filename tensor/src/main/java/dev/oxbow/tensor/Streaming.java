package dev.oxbow.tensor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import java.util.Locale;

/** Copies whose stores go past the caches, where the processor is an x86-64 under Linux; elsewhere plain ones. */
public final class Streaming {

    /*
     * A store to a cache line that another core has read must first take the line from that core. Where cores share no
     * cache that waits for one line after the other: 2 GB/s on an EPYC, and 8 where they do. A streaming store tells the
     * others to drop the line and does not wait, 25 GB/s. Neither Java nor the C library has such a copy for less than
     * megabytes, so these are its instructions, for the calling convention of Linux.
     */

    private static final int LINE = 64;

    private static final String CODE = """
            f3 0f 6f 07       copy: movdqu   (%rdi), %xmm0
            f3 0f 6f 4f 10          movdqu   16(%rdi), %xmm1
            f3 0f 6f 57 20          movdqu   32(%rdi), %xmm2
            f3 0f 6f 5f 30          movdqu   48(%rdi), %xmm3
            66 0f e7 06             movntdq  %xmm0, (%rsi)
            66 0f e7 4e 10          movntdq  %xmm1, 16(%rsi)
            66 0f e7 56 20          movntdq  %xmm2, 32(%rsi)
            66 0f e7 5e 30          movntdq  %xmm3, 48(%rsi)
            48 83 c7 40             add      $64, %rdi
            48 83 c6 40             add      $64, %rsi
            48 83 ea 40             sub      $64, %rdx
            75 cc                   jnz      copy
            0f ae f8                sfence
            c3                      ret
            """;

    /** Copies lines from any address to the start of a line; at least one. */
    private static final MethodHandle LINES = lines();

    private Streaming() {}

    static boolean isAvailable() {
        return LINES != null;
    }

    /** Copies bytes that do not overlap; what is stored later by this thread is seen later by others. */
    public static void copy(long from, long to, long bytes) {
        long head = Math.min(bytes, -to & LINE - 1), body = bytes - head & -LINE, tail = bytes - head - body;
        if (LINES == null || body == 0) {
            Memory.copy(from, to, bytes);
            return;
        }
        Memory.copy(from, to, head);
        try {
            LINES.invokeExact(from + head, to + head, body);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        Memory.copy(from + head + body, to + head + body, tail);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle lines() {
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        if (!arch.equals("amd64") && !arch.equals("x86_64")) return null;
        String digits = CODE.lines().map(line -> line.substring(0, 16)).reduce("", String::concat);
        long code = Pages.code(HexFormat.of().parseHex(digits.replace(" ", "")));
        if (code == 0) return null;
        FunctionDescriptor type = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG);
        return Linker.nativeLinker().downcallHandle(MemorySegment.ofAddress(code), type, Linker.Option.critical(false));
    }
}
