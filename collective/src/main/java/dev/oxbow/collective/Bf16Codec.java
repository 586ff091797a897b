package dev.oxbow.collective;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** The upper 16 bits of each value; see {@link WireFormat#BF16}. */
final class Bf16Codec implements Codec {
    private static final ThreadLocal<Arrays> ARRAYS = ThreadLocal.withInitial(Arrays::new);

    private static final class Arrays {
        final int[] words = new int[BLOCK];
        final short[] halves = new short[BLOCK];
    }

    @Override
    public long bytes(long count) {
        return (2 * count + 3) / 4 * 4;
    }

    @Override
    public int width() {
        return 2;
    }

    @Override
    public void encode(long from, long to, int count) {
        Arrays a = ARRAYS.get();
        MemorySegment.copy(Memory.ALL, Memory.INT, from, a.words, 0, count);
        truncate(a.words, a.halves, count);
        MemorySegment.copy(a.halves, 0, Memory.ALL, Memory.SHORT, to, count);
    }

    @Override
    public void decode(long from, long to, int count) {
        Arrays a = ARRAYS.get();
        MemorySegment.copy(Memory.ALL, Memory.SHORT, from, a.halves, 0, count);
        fill(a.halves, a.words, count);
        MemorySegment.copy(a.words, 0, Memory.ALL, Memory.INT, to, count);
    }

    /** A NaN whose payload lies in the lower half would become infinite, so it is made quiet. */
    private static void truncate(int[] from, short[] to, int n) {
        for (int i = 0; i < n; i++) {
            int isNan = 0x7f800000 - (from[i] & 0x7fffffff)
                    >> 31; // all ones or zeros: loops without a branch become vectors
            to[i] = (short) ((from[i] | 0x400000 & isNan) >>> 16);
        }
    }

    private static void fill(short[] from, int[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = from[i] << 16;
    }
}
