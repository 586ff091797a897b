package dev.oxbow.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** All of memory as one segment, so that kernels address elements by their offset in it alone. */
public final class Memory {

    /*
     * Segment parameters slow a loop down by up to eight times once it has seen heap segments; one
     * constant segment over everything does not. Bounds are the caller's duty: shapes are checked
     * before a kernel runs, and indices from data are checked by the kernel itself.
     *
     * The segment begins at 0, so that offsets are the addresses of the process. Only where native access is denied it
     * is a reserve from which all memory is taken: what is in it can then be given to no library and no system call, and
     * what lies elsewhere can not be addressed.
     */

    private static final Reserve RESERVE = isNativeAccessDenied() ? new Reserve() : null;

    /** Everything that has an address; offsets are addresses. */
    public static final MemorySegment ALL = RESERVE == null ? everything() : RESERVE.all();

    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Memory() {}

    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    private static boolean isNativeAccessDenied() {
        try {
            return everything() == null;
        } catch (IllegalCallerException e) {
            return true;
        }
    }

    /** Whether addresses are those of the process, so that libraries and the system can be given them. */
    public static boolean isNative() {
        return RESERVE == null;
    }

    /** An arena, for any thread, whose memory has an address. */
    public static Arena arena() {
        return RESERVE == null ? Arena.ofShared() : RESERVE.arena();
    }

    /** The address of memory of such an arena. */
    public static long address(MemorySegment segment) {
        return segment.address() - ALL.address();
    }

    /** The bytes from an address on, as an array. */
    public static byte[] bytes(long address, int count) {
        byte[] all = new byte[count];
        MemorySegment.copy(ALL, BYTE, address, all, 0, count);
        return all;
    }

    /** Writes an array to memory from an address on. */
    public static void put(long address, byte[] from) {
        MemorySegment.copy(from, 0, ALL, BYTE, address, from.length);
    }

    public static byte getByte(long address) {
        return ALL.get(BYTE, address);
    }

    public static void putByte(long address, byte value) {
        ALL.set(BYTE, address, value);
    }

    public static short getShort(long address) {
        return ALL.get(SHORT, address);
    }

    public static void putShort(long address, short value) {
        ALL.set(SHORT, address, value);
    }

    public static int getInt(long address) {
        return ALL.get(INT, address);
    }

    public static void putInt(long address, int value) {
        ALL.set(INT, address, value);
    }

    public static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    public static void putLong(long address, long value) {
        ALL.set(LONG, address, value);
    }

    public static float getFloat(long address) {
        return ALL.get(FLOAT, address);
    }

    public static void putFloat(long address, float value) {
        ALL.set(FLOAT, address, value);
    }

    public static double getDouble(long address) {
        return ALL.get(DOUBLE, address);
    }

    public static void putDouble(long address, double value) {
        ALL.set(DOUBLE, address, value);
    }

    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }

    public static void zero(long address, long bytes) {
        if (bytes > 0) ALL.asSlice(address, bytes).fill((byte) 0);
    }
}
