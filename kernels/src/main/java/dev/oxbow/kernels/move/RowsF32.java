package dev.oxbow.kernels.move;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Arithmetic on rows of f32. */
public final class RowsF32 {
    private static final int LANES = VectorWidth.BYTES / 4;
    private static final WarmLoop ADD = new WarmLoop(600, m -> Vectors.add(m, m + (1 << 15), 1024));
    private static final WarmLoop SUBTRACT = new WarmLoop(600, m -> Vectors.subtract(m, m + (1 << 15), 1024));
    private static final WarmLoop MULTIPLY_ADD =
            new WarmLoop(600, m -> Vectors.multiplyAdd(m, m + (1 << 15), m + (1 << 14), 1024));

    private RowsF32() {}

    /** {@code y[i] += x[i]}. */
    public static void add(long y, long x, long n) {
        long i = n >= LANES && ADD.isReady() ? Vectors.add(y, x, n & -LANES) : 0;
        for (; i < n; i++) Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) + Memory.getFloat(x + 4 * i));
    }

    /** {@code y[i] -= x[i]}. */
    public static void subtract(long y, long x, long n) {
        long i = n >= LANES && SUBTRACT.isReady() ? Vectors.subtract(y, x, n & -LANES) : 0;
        for (; i < n; i++) Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) - Memory.getFloat(x + 4 * i));
    }

    /** {@code y[i] = fma(a[i], b[i], y[i])}. */
    public static void multiplyAdd(long y, long a, long b, long n) {
        long i = n >= LANES && MULTIPLY_ADD.isReady() ? Vectors.multiplyAdd(y, a, b, n & -LANES) : 0;
        for (; i < n; i++)
            Memory.putFloat(
                    y + 4 * i,
                    Math.fma(Memory.getFloat(a + 4 * i), Memory.getFloat(b + 4 * i), Memory.getFloat(y + 4 * i)));
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

        private Vectors() {}

        static long add(long y, long x, long n) {
            for (long i = 0; i < n; i += SPECIES.length()) {
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, y + 4 * i, ORDER)
                        .add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, x + 4 * i, ORDER))
                        .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
            }
            return n;
        }

        static long subtract(long y, long x, long n) {
            for (long i = 0; i < n; i += SPECIES.length()) {
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, y + 4 * i, ORDER)
                        .sub(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, x + 4 * i, ORDER))
                        .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
            }
            return n;
        }

        static long multiplyAdd(long y, long a, long b, long n) {
            for (long i = 0; i < n; i += SPECIES.length()) {
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, a + 4 * i, ORDER)
                        .fma(
                                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, b + 4 * i, ORDER),
                                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, y + 4 * i, ORDER))
                        .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
            }
            return n;
        }
    }
}
