package dev.oxbow.collective.combine;

import dev.oxbow.tensor.Memory;

/** Reductions of i8, u8 and bool, whose sums and products wrap around. */
final class CombineBytes {
    private CombineBytes() {}

    static void sum(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (a + b));
        }
    }

    static void product(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (a * b));
        }
    }

    static void min(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (Math.min(a, b)));
        }
    }

    static void max(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (Math.max(a, b)));
        }
    }

    static void minUnsigned(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (Math.min(a & 0xff, b & 0xff)));
        }
    }

    static void maxUnsigned(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (Math.max(a & 0xff, b & 0xff)));
        }
    }

    static void logicalAnd(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) (a != 0 && b != 0 ? 1 : 0));
        }
    }

    static void logicalOr(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) ((a | b) != 0 ? 1 : 0));
        }
    }

    static void logicalXor(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            byte a = Memory.getByte(to + i), b = Memory.getByte(from + i);
            Memory.putByte(to + i, (byte) ((a != 0) != (b != 0) ? 1 : 0));
        }
    }
}
