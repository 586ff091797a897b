package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The innermost step of {@link Gemm} for floats: six rows by one to three vectors of C, held in registers over all of
 * k.
 */
final class TileF32 {

    /*
     * A is packed so that the six values of one k lie together; a row of B is read where it is, {@code bStep} bytes after
     * the one before. Eighteen accumulators, three vectors of B and a broadcast fit 32 registers; machines with 16 use two
     * vectors. Each method is written out because only locals stay in registers.
     *
     * There is one such file for floats and one for doubles. One body over an interface of lanes (zero, load, broadcast,
     * fma, store) was tried: 1,028 ns instead of 1,033 for two vectors and 256 steps of k as long as a process multiplies
     * floats alone, 41,305 ns as soon as it multiplies doubles, too, whatever the limits of inlining are (100 to 1,000
     * bytecodes). Both then share one profile of types, and vectors that may be of two types are objects.
     */

    static final VectorSpecies<Float> LANES = FloatVector.SPECIES_PREFERRED;
    private static final long V = LANES.vectorByteSize();
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** Steps of k, rows of A and vectors of B in the warm-up. */
    private static final int WARM_DEPTH = 128;

    private static final Warmup FAST =
            new Warmup(1, 36L * WARM_DEPTH, 24L * WARM_DEPTH + 3 * V * (WARM_DEPTH + 6), at -> {
                long b = at + 24L * WARM_DEPTH, c = b + 3 * V * WARM_DEPTH;
                tile1(at, b, 3 * V, WARM_DEPTH, c, 3 * V, false);
                tile2(at, b, 3 * V, WARM_DEPTH, c, 3 * V, true);
                tile3(at, b, 3 * V, WARM_DEPTH, c, 3 * V, true);
            });

    private TileF32() {}

    /** Whether the JIT compiler has made this fast; until then {@link TileScalar} is faster. */
    static boolean isFast() {
        return FAST.isDone();
    }

    /** {@code C = A * B}, or {@code C += A * B}, on 6 rows and 1 vector of C. */
    static void tile1(long a, long b, long bStep, int k, long c, long cStep, boolean add) {
        FloatVector r0x = FloatVector.zero(LANES);
        FloatVector r1x = FloatVector.zero(LANES);
        FloatVector r2x = FloatVector.zero(LANES);
        FloatVector r3x = FloatVector.zero(LANES);
        FloatVector r4x = FloatVector.zero(LANES);
        FloatVector r5x = FloatVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 24, b += bStep) {
            FloatVector bx = load(b);
            FloatVector a0 = FloatVector.broadcast(LANES, Memory.getFloat(a));
            r0x = a0.fma(bx, r0x);
            FloatVector a1 = FloatVector.broadcast(LANES, Memory.getFloat(a + 4));
            r1x = a1.fma(bx, r1x);
            FloatVector a2 = FloatVector.broadcast(LANES, Memory.getFloat(a + 8));
            r2x = a2.fma(bx, r2x);
            FloatVector a3 = FloatVector.broadcast(LANES, Memory.getFloat(a + 12));
            r3x = a3.fma(bx, r3x);
            FloatVector a4 = FloatVector.broadcast(LANES, Memory.getFloat(a + 16));
            r4x = a4.fma(bx, r4x);
            FloatVector a5 = FloatVector.broadcast(LANES, Memory.getFloat(a + 20));
            r5x = a5.fma(bx, r5x);
        }
        store(r0x, c, add);
        store(r1x, c + cStep, add);
        store(r2x, c + 2 * cStep, add);
        store(r3x, c + 3 * cStep, add);
        store(r4x, c + 4 * cStep, add);
        store(r5x, c + 5 * cStep, add);
    }

    /** {@code C = A * B}, or {@code C += A * B}, on 6 rows and 2 vectors of C. */
    static void tile2(long a, long b, long bStep, int k, long c, long cStep, boolean add) {
        FloatVector r0x = FloatVector.zero(LANES), r0y = FloatVector.zero(LANES);
        FloatVector r1x = FloatVector.zero(LANES), r1y = FloatVector.zero(LANES);
        FloatVector r2x = FloatVector.zero(LANES), r2y = FloatVector.zero(LANES);
        FloatVector r3x = FloatVector.zero(LANES), r3y = FloatVector.zero(LANES);
        FloatVector r4x = FloatVector.zero(LANES), r4y = FloatVector.zero(LANES);
        FloatVector r5x = FloatVector.zero(LANES), r5y = FloatVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 24, b += bStep) {
            FloatVector bx = load(b);
            FloatVector by = load(b + V);
            FloatVector a0 = FloatVector.broadcast(LANES, Memory.getFloat(a));
            r0x = a0.fma(bx, r0x);
            r0y = a0.fma(by, r0y);
            FloatVector a1 = FloatVector.broadcast(LANES, Memory.getFloat(a + 4));
            r1x = a1.fma(bx, r1x);
            r1y = a1.fma(by, r1y);
            FloatVector a2 = FloatVector.broadcast(LANES, Memory.getFloat(a + 8));
            r2x = a2.fma(bx, r2x);
            r2y = a2.fma(by, r2y);
            FloatVector a3 = FloatVector.broadcast(LANES, Memory.getFloat(a + 12));
            r3x = a3.fma(bx, r3x);
            r3y = a3.fma(by, r3y);
            FloatVector a4 = FloatVector.broadcast(LANES, Memory.getFloat(a + 16));
            r4x = a4.fma(bx, r4x);
            r4y = a4.fma(by, r4y);
            FloatVector a5 = FloatVector.broadcast(LANES, Memory.getFloat(a + 20));
            r5x = a5.fma(bx, r5x);
            r5y = a5.fma(by, r5y);
        }
        store(r0x, c, add);
        store(r0y, c + V, add);
        store(r1x, c + cStep, add);
        store(r1y, c + cStep + V, add);
        store(r2x, c + 2 * cStep, add);
        store(r2y, c + 2 * cStep + V, add);
        store(r3x, c + 3 * cStep, add);
        store(r3y, c + 3 * cStep + V, add);
        store(r4x, c + 4 * cStep, add);
        store(r4y, c + 4 * cStep + V, add);
        store(r5x, c + 5 * cStep, add);
        store(r5y, c + 5 * cStep + V, add);
    }

    /** {@code C = A * B}, or {@code C += A * B}, on 6 rows and 3 vectors of C. */
    static void tile3(long a, long b, long bStep, int k, long c, long cStep, boolean add) {
        FloatVector r0x = FloatVector.zero(LANES), r0y = FloatVector.zero(LANES), r0z = FloatVector.zero(LANES);
        FloatVector r1x = FloatVector.zero(LANES), r1y = FloatVector.zero(LANES), r1z = FloatVector.zero(LANES);
        FloatVector r2x = FloatVector.zero(LANES), r2y = FloatVector.zero(LANES), r2z = FloatVector.zero(LANES);
        FloatVector r3x = FloatVector.zero(LANES), r3y = FloatVector.zero(LANES), r3z = FloatVector.zero(LANES);
        FloatVector r4x = FloatVector.zero(LANES), r4y = FloatVector.zero(LANES), r4z = FloatVector.zero(LANES);
        FloatVector r5x = FloatVector.zero(LANES), r5y = FloatVector.zero(LANES), r5z = FloatVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 24, b += bStep) {
            FloatVector bx = load(b);
            FloatVector by = load(b + V);
            FloatVector bz = load(b + 2 * V);
            FloatVector a0 = FloatVector.broadcast(LANES, Memory.getFloat(a));
            r0x = a0.fma(bx, r0x);
            r0y = a0.fma(by, r0y);
            r0z = a0.fma(bz, r0z);
            FloatVector a1 = FloatVector.broadcast(LANES, Memory.getFloat(a + 4));
            r1x = a1.fma(bx, r1x);
            r1y = a1.fma(by, r1y);
            r1z = a1.fma(bz, r1z);
            FloatVector a2 = FloatVector.broadcast(LANES, Memory.getFloat(a + 8));
            r2x = a2.fma(bx, r2x);
            r2y = a2.fma(by, r2y);
            r2z = a2.fma(bz, r2z);
            FloatVector a3 = FloatVector.broadcast(LANES, Memory.getFloat(a + 12));
            r3x = a3.fma(bx, r3x);
            r3y = a3.fma(by, r3y);
            r3z = a3.fma(bz, r3z);
            FloatVector a4 = FloatVector.broadcast(LANES, Memory.getFloat(a + 16));
            r4x = a4.fma(bx, r4x);
            r4y = a4.fma(by, r4y);
            r4z = a4.fma(bz, r4z);
            FloatVector a5 = FloatVector.broadcast(LANES, Memory.getFloat(a + 20));
            r5x = a5.fma(bx, r5x);
            r5y = a5.fma(by, r5y);
            r5z = a5.fma(bz, r5z);
        }
        store(r0x, c, add);
        store(r0y, c + V, add);
        store(r0z, c + 2 * V, add);
        store(r1x, c + cStep, add);
        store(r1y, c + cStep + V, add);
        store(r1z, c + cStep + 2 * V, add);
        store(r2x, c + 2 * cStep, add);
        store(r2y, c + 2 * cStep + V, add);
        store(r2z, c + 2 * cStep + 2 * V, add);
        store(r3x, c + 3 * cStep, add);
        store(r3y, c + 3 * cStep + V, add);
        store(r3z, c + 3 * cStep + 2 * V, add);
        store(r4x, c + 4 * cStep, add);
        store(r4y, c + 4 * cStep + V, add);
        store(r4z, c + 4 * cStep + 2 * V, add);
        store(r5x, c + 5 * cStep, add);
        store(r5y, c + 5 * cStep + V, add);
        store(r5z, c + 5 * cStep + 2 * V, add);
    }

    private static FloatVector load(long at) {
        return FloatVector.fromMemorySegment(LANES, Memory.ALL, at, ORDER);
    }

    private static void store(FloatVector x, long at, boolean add) {
        (add ? load(at).add(x) : x).intoMemorySegment(Memory.ALL, at, ORDER);
    }
}
