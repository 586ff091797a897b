package dev.oxbow.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** All of native memory as one segment, so that kernels address elements by absolute address. */
public final class Memory {

    /*
     * Segment parameters slow a loop down by up to eight times once it has seen heap segments; one
     * constant segment over everything does not. Bounds are the caller's duty: shapes are checked
     * before a kernel runs, and indices from data are checked by the kernel itself.
     */

    /** Every native address; offsets are absolute. */
    @SuppressWarnings("restricted")
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Memory() {}

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
