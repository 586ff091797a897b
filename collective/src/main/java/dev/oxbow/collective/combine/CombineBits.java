package dev.oxbow.collective.combine;

import dev.oxbow.tensor.Memory;

/** Bitwise reductions of integers of any width, eight bytes at a time. */
final class CombineBits {

    /** The loop over whole words, then over the bytes that are left. */
    @FunctionalInterface
    private interface Words {
        void combine(long to, long from, int words, int bytes);
    }

    private CombineBits() {}

    static Combine and(int width) {
        return strips(width, CombineBits::and);
    }

    static Combine or(int width) {
        return strips(width, CombineBits::or);
    }

    static Combine xor(int width) {
        return strips(width, CombineBits::xor);
    }

    private static Combine strips(int width, Words words) {
        return Combine.strips(
                width, (to, from, count) -> words.combine(to, from, count * width >> 3, count * width & 7));
    }

    private static void and(long to, long from, int words, int bytes) {
        for (int i = 0; i < words; i++) {
            Memory.putLong(to + 8L * i, Memory.getLong(to + 8L * i) & Memory.getLong(from + 8L * i));
        }
        for (long i = 8L * words; i < 8L * words + bytes; i++) {
            Memory.putByte(to + i, (byte) (Memory.getByte(to + i) & Memory.getByte(from + i)));
        }
    }

    private static void or(long to, long from, int words, int bytes) {
        for (int i = 0; i < words; i++) {
            Memory.putLong(to + 8L * i, Memory.getLong(to + 8L * i) | Memory.getLong(from + 8L * i));
        }
        for (long i = 8L * words; i < 8L * words + bytes; i++) {
            Memory.putByte(to + i, (byte) (Memory.getByte(to + i) | Memory.getByte(from + i)));
        }
    }

    private static void xor(long to, long from, int words, int bytes) {
        for (int i = 0; i < words; i++) {
            Memory.putLong(to + 8L * i, Memory.getLong(to + 8L * i) ^ Memory.getLong(from + 8L * i));
        }
        for (long i = 8L * words; i < 8L * words + bytes; i++) {
            Memory.putByte(to + i, (byte) (Memory.getByte(to + i) ^ Memory.getByte(from + i)));
        }
    }
}
