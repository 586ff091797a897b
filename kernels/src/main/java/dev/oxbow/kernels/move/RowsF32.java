package dev.oxbow.kernels.move;

import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Arithmetic on rows of f32. */
public final class RowsF32 {
    private static final VectorSpecies<Float> LANES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final WarmLoop ADD = new WarmLoop(600, m -> vectorAdd(m, m + (1 << 15), 1024));
    private static final WarmLoop SUBTRACT = new WarmLoop(600, m -> vectorSubtract(m, m + (1 << 15), 1024));
    private static final WarmLoop MULTIPLY_ADD =
            new WarmLoop(600, m -> vectorMultiplyAdd(m, m + (1 << 15), m + (1 << 14), 1024));

    private RowsF32() {}

    /** {@code y[i] += x[i]}. */
    public static void add(long y, long x, long n) {
        long i = n >= LANES.length() && ADD.isReady() ? vectorAdd(y, x, LANES.loopBound(n)) : 0;
        for (; i < n; i++) Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) + Memory.getFloat(x + 4 * i));
    }

    static long vectorAdd(long y, long x, long n) {
        for (long i = 0; i < n; i += LANES.length()) {
            FloatVector.fromMemorySegment(LANES, Memory.ALL, y + 4 * i, ORDER)
                    .add(FloatVector.fromMemorySegment(LANES, Memory.ALL, x + 4 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
        }
        return n;
    }

    /** {@code y[i] -= x[i]}. */
    public static void subtract(long y, long x, long n) {
        long i = n >= LANES.length() && SUBTRACT.isReady() ? vectorSubtract(y, x, LANES.loopBound(n)) : 0;
        for (; i < n; i++) Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) - Memory.getFloat(x + 4 * i));
    }

    static long vectorSubtract(long y, long x, long n) {
        for (long i = 0; i < n; i += LANES.length()) {
            FloatVector.fromMemorySegment(LANES, Memory.ALL, y + 4 * i, ORDER)
                    .sub(FloatVector.fromMemorySegment(LANES, Memory.ALL, x + 4 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
        }
        return n;
    }

    /** {@code y[i] = fma(a[i], b[i], y[i])}. */
    public static void multiplyAdd(long y, long a, long b, long n) {
        long i = n >= LANES.length() && MULTIPLY_ADD.isReady() ? vectorMultiplyAdd(y, a, b, LANES.loopBound(n)) : 0;
        for (; i < n; i++)
            Memory.putFloat(
                    y + 4 * i,
                    Math.fma(Memory.getFloat(a + 4 * i), Memory.getFloat(b + 4 * i), Memory.getFloat(y + 4 * i)));
    }

    static long vectorMultiplyAdd(long y, long a, long b, long n) {
        for (long i = 0; i < n; i += LANES.length()) {
            FloatVector.fromMemorySegment(LANES, Memory.ALL, a + 4 * i, ORDER)
                    .fma(
                            FloatVector.fromMemorySegment(LANES, Memory.ALL, b + 4 * i, ORDER),
                            FloatVector.fromMemorySegment(LANES, Memory.ALL, y + 4 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
        }
        return n;
    }
}
