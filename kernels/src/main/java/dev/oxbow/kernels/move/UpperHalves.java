package dev.oxbow.kernels.move;

import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.OR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The upper 16 bits of f32 values, by vectors with scalar twins that give the same bits. */
public final class UpperHalves {
    private static final int LANES = VectorWidth.BYTES / 4;
    private static final int INFINITY = 0x7f800000;
    private static final int QUIET = 0x400000;

    private static final WarmLoop TAKE = new WarmLoop(600, m -> Vectors.take(m, m + (1 << 15), 1024));
    private static final WarmLoop FILL = new WarmLoop(600, m -> Vectors.fill(m, m + (1 << 15), 1024));

    private UpperHalves() {}

    /** Writes the upper half of each value; NaN stays NaN. */
    public static void take(long from, long to, int count) {
        int i = TAKE.isReady() ? Vectors.take(from, to, count & -LANES) : 0;
        takeScalars(from + 4L * i, to + 2L * i, count - i);
    }

    /** Makes values of their upper halves; the lower ones are zero. */
    public static void fill(long from, long to, int count) {
        int i = FILL.isReady() ? Vectors.fill(from, to, count & -LANES) : 0;
        fillScalars(from + 2L * i, to + 4L * i, count - i);
    }

    static void takeScalars(long from, long to, int count) {
        for (int i = 0; i < count; i++) {
            int x = Memory.getInt(from + 4L * i);
            Memory.putShort(to + 2L * i, (short) (((x & Integer.MAX_VALUE) > INFINITY ? x | QUIET : x) >>> 16));
        }
    }

    static void fillScalars(long from, long to, int count) {
        for (int i = 0; i < count; i++) Memory.putInt(to + 4L * i, Memory.getShort(from + 2L * i) << 16);
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Integer> WORDS = IntVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Short> HALVES =
                VectorSpecies.of(short.class, VectorShape.forBitSize(WORDS.vectorBitSize() / 2));
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

        private Vectors() {}

        /** A NaN whose payload lies in the lower half would become infinite, so it is made quiet. */
        static int take(long from, long to, int count) {
            for (int i = 0; i < count; i += WORDS.length()) {
                IntVector x = IntVector.fromMemorySegment(WORDS, Memory.ALL, from + 4L * i, ORDER);
                IntVector quiet = x.lanewise(OR, QUIET, x.and(Integer.MAX_VALUE).compare(GT, INFINITY));
                ShortVector halves = (ShortVector) quiet.lanewise(LSHR, 16).convertShape(I2S, HALVES, 0);
                halves.intoMemorySegment(Memory.ALL, to + 2L * i, ORDER);
            }
            return count;
        }

        static int fill(long from, long to, int count) {
            for (int i = 0; i < count; i += WORDS.length()) {
                ShortVector halves = ShortVector.fromMemorySegment(HALVES, Memory.ALL, from + 2L * i, ORDER);
                IntVector x = (IntVector) halves.convertShape(ZERO_EXTEND_S2I, WORDS, 0);
                x.lanewise(LSHL, 16).intoMemorySegment(Memory.ALL, to + 4L * i, ORDER);
            }
            return count;
        }
    }
}
