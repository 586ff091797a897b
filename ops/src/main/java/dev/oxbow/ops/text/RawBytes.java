package dev.oxbow.ops.text;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Strings read as the bytes of numbers. */
final class RawBytes {
    private RawBytes() {}

    /** Copies as many elements as {@code bytes} holds to {@code y}, from element {@code at} on. */
    static void copy(byte[] bytes, int count, Tensor y, long at, boolean littleEndian) {
        long to = y.address() + at * y.dtype().size();
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, Memory.ALL, to, count);
        int w = y.dtype().isComplex() ? y.dtype().size() / 2 : y.dtype().size();
        if (littleEndian || w == 1) return;
        for (long p = to; p < to + count; p += w) {
            for (int i = 0; i < w / 2; i++) {
                byte swap = Memory.getByte(p + i);
                Memory.putByte(p + i, Memory.getByte(p + w - 1 - i));
                Memory.putByte(p + w - 1 - i, swap);
            }
        }
    }
}
