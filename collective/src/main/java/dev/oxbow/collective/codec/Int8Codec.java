package dev.oxbow.collective.codec;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** Blocks of a scale and one byte for each value; see {@code WireFormat.INT8}. */
public final class Int8Codec implements Codec {

    /*
     * The scale is the largest magnitude over 127, with its mantissa cut to 16 bits. So each of -127 to 127 times the scale
     * is exact in f32, the largest of a block is always 127 times the scale, and a block that was decoded is encoded as it
     * was: the scale is found again, and each value over the scale is whole. Values over the scale stay below 127.01 and so
     * round to 127 at most.
     */

    private static final int SCALE_BITS = 0xffffff00;
    /** Below it the scale would have too few bits left: the block becomes zero. */
    private static final float TINY = 0x1p-119f;
    /** Adding it to a number below 2^22 rounds that to a whole one, halves to even. */
    private static final float ROUNDING = 0x1.8p23f;

    private static final ThreadLocal<Arrays> ARRAYS = ThreadLocal.withInitial(Arrays::new);

    private static final class Arrays {
        final float[] floats = new float[BLOCK];
        final int[] bits = new int[BLOCK];
        final byte[] bytes = new byte[BLOCK];
    }

    @Override
    public long bytes(long count) {
        long blocks = count / BLOCK, rest = count % BLOCK;
        return blocks * (BLOCK + 4) + (rest == 0 ? 0 : 4 + (rest + 3) / 4 * 4);
    }

    @Override
    public int width() {
        return 0;
    }

    @Override
    public void encode(long from, long to, int count) {
        Arrays a = ARRAYS.get();
        MemorySegment.copy(Memory.ALL, Memory.INT, from, a.bits, 0, count);
        MemorySegment.copy(Memory.ALL, Memory.FLOAT, from, a.floats, 0, count);
        float scale = scale(largest(a.bits, count));
        if (scale > 0) quantise(a.floats, scale, a.bytes, count);
        else java.util.Arrays.fill(a.bytes, (byte) 0);
        Memory.putFloat(to, scale);
        MemorySegment.copy(a.bytes, 0, Memory.ALL, Memory.BYTE, to + 4, count);
    }

    @Override
    public void decode(long from, long to, int count) {
        Arrays a = ARRAYS.get();
        MemorySegment.copy(Memory.ALL, Memory.BYTE, from + 4, a.bytes, 0, count);
        multiply(a.bytes, Memory.getFloat(from), a.floats, count);
        MemorySegment.copy(a.floats, 0, Memory.ALL, Memory.FLOAT, to, count);
    }

    /** The scale of a block: NaN when it holds a NaN or an infinity, 0 when it becomes zero. */
    private static float scale(float largest) {
        if (!(largest < Float.POSITIVE_INFINITY)) return Float.NaN;
        if (largest < TINY) return 0;
        return Float.intBitsToFloat(Float.floatToRawIntBits(largest / 127) & SCALE_BITS);
    }

    /** Bits of magnitudes are in the order of their values, NaN behind infinity; the JIT folds ints five times faster than floats. */
    private static float largest(int[] bits, int n) {
        int largest = 0;
        for (int i = 0; i < n; i++) largest = Math.max(largest, bits[i] & Integer.MAX_VALUE);
        return Float.intBitsToFloat(largest);
    }

    private static void quantise(float[] x, float scale, byte[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = (byte) (int) (x[i] / scale + ROUNDING - ROUNDING);
    }

    private static void multiply(byte[] from, float scale, float[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = from[i] * scale;
    }
}
