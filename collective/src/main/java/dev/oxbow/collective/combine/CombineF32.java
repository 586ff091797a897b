package dev.oxbow.collective.combine;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Reductions of f32 by vectors, with scalar twins that give the same bits. */
final class CombineF32 {
    private static final int LANES = VectorWidth.BYTES / 4;
    private static final WarmLoop SUM = new WarmLoop(600, m -> Vectors.sum(m, m + (1 << 15), 1024));
    private static final WarmLoop PRODUCT = new WarmLoop(600, m -> Vectors.product(m, m + (1 << 15), 1024));
    private static final WarmLoop MIN = new WarmLoop(600, m -> Vectors.min(m, m + (1 << 15), 1024));
    private static final WarmLoop MAX = new WarmLoop(600, m -> Vectors.max(m, m + (1 << 15), 1024));

    private CombineF32() {}

    static void sum(long to, long from, int count) {
        int i = SUM.isReady() ? Vectors.sum(to, from, count & -LANES) : 0;
        sumScalars(to + 4L * i, from + 4L * i, count - i);
    }

    static void sumScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 4L * i;
            Memory.putFloat(at, Memory.getFloat(at) + Memory.getFloat(from + 4L * i));
        }
    }

    static void product(long to, long from, int count) {
        int i = PRODUCT.isReady() ? Vectors.product(to, from, count & -LANES) : 0;
        productScalars(to + 4L * i, from + 4L * i, count - i);
    }

    static void productScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 4L * i;
            Memory.putFloat(at, Memory.getFloat(at) * Memory.getFloat(from + 4L * i));
        }
    }

    static void min(long to, long from, int count) {
        int i = MIN.isReady() ? Vectors.min(to, from, count & -LANES) : 0;
        minScalars(to + 4L * i, from + 4L * i, count - i);
    }

    static void minScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 4L * i;
            Memory.putFloat(at, Math.min(Memory.getFloat(at), Memory.getFloat(from + 4L * i)));
        }
    }

    static void max(long to, long from, int count) {
        int i = MAX.isReady() ? Vectors.max(to, from, count & -LANES) : 0;
        maxScalars(to + 4L * i, from + 4L * i, count - i);
    }

    static void maxScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 4L * i;
            Memory.putFloat(at, Math.max(Memory.getFloat(at), Memory.getFloat(from + 4L * i)));
        }
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

        private Vectors() {}

        static int sum(long to, long from, int count) {
            for (int i = 0; i < count; i += SPECIES.length()) {
                long at = to + 4L * i;
                vector(at).add(vector(from + 4L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
            }
            return count;
        }

        static int product(long to, long from, int count) {
            for (int i = 0; i < count; i += SPECIES.length()) {
                long at = to + 4L * i;
                vector(at).mul(vector(from + 4L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
            }
            return count;
        }

        static int min(long to, long from, int count) {
            for (int i = 0; i < count; i += SPECIES.length()) {
                long at = to + 4L * i;
                vector(at).min(vector(from + 4L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
            }
            return count;
        }

        static int max(long to, long from, int count) {
            for (int i = 0; i < count; i += SPECIES.length()) {
                long at = to + 4L * i;
                vector(at).max(vector(from + 4L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
            }
            return count;
        }

        private static FloatVector vector(long address) {
            return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, address, ORDER);
        }
    }
}
