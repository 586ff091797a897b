package dev.oxbow.kernels.random;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** {@link Philox} with a block in each 64-bit lane, and uniform floats from its numbers. */
final class PhiloxVectors {
    /** Blocks that are worth a vector. */
    static final int LEAST = VectorWidth.BYTES / 8;

    private static final int LANES = VectorWidth.BYTES / 4;
    private static final WarmLoop BLOCKS = new WarmLoop(4_000, m -> Vectors.blocks(1, 2, 3, 4, m, 256));
    private static final WarmLoop FLOATS = new WarmLoop(600, m -> Vectors.floats(m, 1024));

    private PhiloxVectors() {}

    static boolean isReady() {
        return BLOCKS.isReady();
    }

    /** Turns n numbers in place into floats in [0, 1), as {@link Samples#toFloat} does. */
    static void floats(long address, long n) {
        long i = n >= LANES && FLOATS.isReady() ? Vectors.floats(address, n & -LANES) : 0;
        for (; i < n; i++) Memory.putFloat(address + 4 * i, Samples.toFloat(Memory.getInt(address + 4 * i)));
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
        private static final long LOW = 0xffffffffL;
        private static final VectorShuffle<Long> FIRST = VectorShuffle.makeZip(LONGS, 0);
        private static final VectorShuffle<Long> SECOND = VectorShuffle.makeZip(LONGS, 1);

        private Vectors() {}

        /** Writes the blocks from a counter on, as many of {@code count} as fill vectors, and says how many. */
        static long blocks(int key0, int key1, long low, long high, long address, long count) {
            LongVector step = LongVector.zero(LONGS).addIndex(1);
            long whole = LONGS.loopBound(count);
            for (long i = 0; i < whole; i += LONGS.length()) {
                LongVector counter = step.add(low + i);
                LongVector c0 = counter.and(LOW), c1 = counter.lanewise(VectorOperators.LSHR, 32);
                LongVector c2 = LongVector.broadcast(LONGS, high & LOW), c3 = LongVector.broadcast(LONGS, high >>> 32);
                int k0 = key0, k1 = key1;
                for (int round = 0; round < 10; round++) {
                    LongVector a = c0.mul(Philox.MULTIPLIER_A & LOW), b = c2.mul(Philox.MULTIPLIER_B & LOW);
                    c0 = b.lanewise(VectorOperators.LSHR, 32)
                            .lanewise(VectorOperators.XOR, c1)
                            .lanewise(VectorOperators.XOR, k0 & LOW);
                    c2 = a.lanewise(VectorOperators.LSHR, 32)
                            .lanewise(VectorOperators.XOR, c3)
                            .lanewise(VectorOperators.XOR, k1 & LOW);
                    c1 = b.and(LOW);
                    c3 = a.and(LOW);
                    k0 += Philox.WEYL_A;
                    k1 += Philox.WEYL_B;
                }
                LongVector x = c0.or(c1.lanewise(VectorOperators.LSHL, 32));
                LongVector y = c2.or(c3.lanewise(VectorOperators.LSHL, 32));
                long to = address + 16 * i;
                x.rearrange(FIRST, y).intoMemorySegment(Memory.ALL, to, ORDER);
                x.rearrange(SECOND, y).intoMemorySegment(Memory.ALL, to + 8L * LONGS.length(), ORDER);
            }
            return whole;
        }

        static long floats(long address, long n) {
            for (long i = 0; i < n; i += INTS.length()) {
                FloatVector f = IntVector.fromMemorySegment(INTS, Memory.ALL, address + 4 * i, ORDER)
                        .and(0x7fffff)
                        .or(127 << 23)
                        .reinterpretAsFloats();
                f.sub(1).intoMemorySegment(Memory.ALL, address + 4 * i, ORDER);
            }
            return n;
        }
    }
}
