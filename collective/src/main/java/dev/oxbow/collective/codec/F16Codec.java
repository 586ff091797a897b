package dev.oxbow.collective.codec;

import dev.oxbow.collective.combine.CombineHalf;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** Half precision, rounded to nearest even; see {@code WireFormat.F16}. */
public final class F16Codec implements Codec {
    private static final ThreadLocal<Arrays> ARRAYS = ThreadLocal.withInitial(Arrays::new);

    private static final class Arrays {
        final float[] floats = new float[BLOCK];
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
        MemorySegment.copy(Memory.ALL, Memory.FLOAT, from, a.floats, 0, count);
        CombineHalf.narrowF16(a.floats, a.halves, count);
        MemorySegment.copy(a.halves, 0, Memory.ALL, Memory.SHORT, to, count);
    }

    @Override
    public void decode(long from, long to, int count) {
        Arrays a = ARRAYS.get();
        MemorySegment.copy(Memory.ALL, Memory.SHORT, from, a.halves, 0, count);
        CombineHalf.widenF16(a.halves, a.floats, count);
        MemorySegment.copy(a.floats, 0, Memory.ALL, Memory.FLOAT, to, count);
    }
}
