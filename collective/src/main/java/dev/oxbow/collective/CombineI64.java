package dev.oxbow.collective;

import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/** Reductions of i64 by vectors, with scalar twins. */
final class CombineI64 {
    private static final VectorSpecies<Long> LANES = LongVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final WarmLoop SUM = new WarmLoop(1200, m -> sumVectors(m, m + (1 << 15), 1024));
    private static final WarmLoop PRODUCT = new WarmLoop(1200, m -> productVectors(m, m + (1 << 15), 1024));
    private static final WarmLoop MIN = new WarmLoop(1200, m -> minVectors(m, m + (1 << 15), 1024));
    private static final WarmLoop MAX = new WarmLoop(1200, m -> maxVectors(m, m + (1 << 15), 1024));

    private CombineI64() {}

    static void sum(long to, long from, int count) {
        int i = SUM.isReady() ? sumVectors(to, from, LANES.loopBound(count)) : 0;
        sumScalars(to + 8L * i, from + 8L * i, count - i);
    }

    static int sumVectors(long to, long from, int count) {
        for (int i = 0; i < count; i += LANES.length()) {
            long at = to + 8L * i;
            vector(at).add(vector(from + 8L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
        }
        return count;
    }

    static void sumScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 8L * i;
            Memory.putLong(at, Memory.getLong(at) + Memory.getLong(from + 8L * i));
        }
    }

    static void product(long to, long from, int count) {
        int i = PRODUCT.isReady() ? productVectors(to, from, LANES.loopBound(count)) : 0;
        productScalars(to + 8L * i, from + 8L * i, count - i);
    }

    static int productVectors(long to, long from, int count) {
        for (int i = 0; i < count; i += LANES.length()) {
            long at = to + 8L * i;
            vector(at).mul(vector(from + 8L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
        }
        return count;
    }

    static void productScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 8L * i;
            Memory.putLong(at, Memory.getLong(at) * Memory.getLong(from + 8L * i));
        }
    }

    static void min(long to, long from, int count) {
        int i = MIN.isReady() ? minVectors(to, from, LANES.loopBound(count)) : 0;
        minScalars(to + 8L * i, from + 8L * i, count - i);
    }

    static int minVectors(long to, long from, int count) {
        for (int i = 0; i < count; i += LANES.length()) {
            long at = to + 8L * i;
            vector(at).min(vector(from + 8L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
        }
        return count;
    }

    static void minScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 8L * i;
            Memory.putLong(at, Math.min(Memory.getLong(at), Memory.getLong(from + 8L * i)));
        }
    }

    static void max(long to, long from, int count) {
        int i = MAX.isReady() ? maxVectors(to, from, LANES.loopBound(count)) : 0;
        maxScalars(to + 8L * i, from + 8L * i, count - i);
    }

    static int maxVectors(long to, long from, int count) {
        for (int i = 0; i < count; i += LANES.length()) {
            long at = to + 8L * i;
            vector(at).max(vector(from + 8L * i)).intoMemorySegment(Memory.ALL, at, ORDER);
        }
        return count;
    }

    static void maxScalars(long to, long from, int count) {
        for (int i = 0; i < count; i++) {
            long at = to + 8L * i;
            Memory.putLong(at, Math.max(Memory.getLong(at), Memory.getLong(from + 8L * i)));
        }
    }

    private static LongVector vector(long address) {
        return LongVector.fromMemorySegment(LANES, Memory.ALL, address, ORDER);
    }
}
