package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The innermost step of {@link Gemm} for doubles: six rows by one to three vectors of C, held in registers over all
 * of k.
 */
final class TileF64 {

    /*
     * A is packed so that the six values of one k lie together; a row of B is read where it is, {@code bStep} bytes after
     * the one before. Eighteen accumulators, three vectors of B and a broadcast fit 32 registers; machines with 16 use two
     * vectors. Each method is written out because only locals stay in registers.
     *
     * {@link TileF32} says why doubles have a file of their own.
     */

    static final VectorSpecies<Double> LANES = DoubleVector.SPECIES_PREFERRED;
    private static final long V = LANES.vectorByteSize();
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** Steps of k, rows of A and vectors of B in the warm-up. */
    private static final int WARM_DEPTH = 128;

    private static final Warmup FAST =
            new Warmup(1, 36L * WARM_DEPTH, 48L * WARM_DEPTH + 3 * V * (WARM_DEPTH + 6), at -> {
                long b = at + 48L * WARM_DEPTH, c = b + 3 * V * WARM_DEPTH;
                tile1(at, b, 3 * V, WARM_DEPTH, c, 3 * V, false);
                tile2(at, b, 3 * V, WARM_DEPTH, c, 3 * V, true);
                tile3(at, b, 3 * V, WARM_DEPTH, c, 3 * V, true);
            });

    private TileF64() {}

    /** Whether the JIT compiler has made this fast; until then {@link TileScalar} is faster. */
    static boolean isFast() {
        return FAST.isDone();
    }

    /** {@code C = A * B}, or {@code C += A * B}, on 6 rows and 1 vector of C. */
    static void tile1(long a, long b, long bStep, int k, long c, long cStep, boolean add) {
        DoubleVector r0x = DoubleVector.zero(LANES);
        DoubleVector r1x = DoubleVector.zero(LANES);
        DoubleVector r2x = DoubleVector.zero(LANES);
        DoubleVector r3x = DoubleVector.zero(LANES);
        DoubleVector r4x = DoubleVector.zero(LANES);
        DoubleVector r5x = DoubleVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 48, b += bStep) {
            DoubleVector bx = load(b);
            DoubleVector a0 = DoubleVector.broadcast(LANES, Memory.getDouble(a));
            r0x = a0.fma(bx, r0x);
            DoubleVector a1 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 8));
            r1x = a1.fma(bx, r1x);
            DoubleVector a2 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 16));
            r2x = a2.fma(bx, r2x);
            DoubleVector a3 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 24));
            r3x = a3.fma(bx, r3x);
            DoubleVector a4 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 32));
            r4x = a4.fma(bx, r4x);
            DoubleVector a5 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 40));
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
        DoubleVector r0x = DoubleVector.zero(LANES), r0y = DoubleVector.zero(LANES);
        DoubleVector r1x = DoubleVector.zero(LANES), r1y = DoubleVector.zero(LANES);
        DoubleVector r2x = DoubleVector.zero(LANES), r2y = DoubleVector.zero(LANES);
        DoubleVector r3x = DoubleVector.zero(LANES), r3y = DoubleVector.zero(LANES);
        DoubleVector r4x = DoubleVector.zero(LANES), r4y = DoubleVector.zero(LANES);
        DoubleVector r5x = DoubleVector.zero(LANES), r5y = DoubleVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 48, b += bStep) {
            DoubleVector bx = load(b);
            DoubleVector by = load(b + V);
            DoubleVector a0 = DoubleVector.broadcast(LANES, Memory.getDouble(a));
            r0x = a0.fma(bx, r0x);
            r0y = a0.fma(by, r0y);
            DoubleVector a1 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 8));
            r1x = a1.fma(bx, r1x);
            r1y = a1.fma(by, r1y);
            DoubleVector a2 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 16));
            r2x = a2.fma(bx, r2x);
            r2y = a2.fma(by, r2y);
            DoubleVector a3 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 24));
            r3x = a3.fma(bx, r3x);
            r3y = a3.fma(by, r3y);
            DoubleVector a4 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 32));
            r4x = a4.fma(bx, r4x);
            r4y = a4.fma(by, r4y);
            DoubleVector a5 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 40));
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
        DoubleVector r0x = DoubleVector.zero(LANES), r0y = DoubleVector.zero(LANES), r0z = DoubleVector.zero(LANES);
        DoubleVector r1x = DoubleVector.zero(LANES), r1y = DoubleVector.zero(LANES), r1z = DoubleVector.zero(LANES);
        DoubleVector r2x = DoubleVector.zero(LANES), r2y = DoubleVector.zero(LANES), r2z = DoubleVector.zero(LANES);
        DoubleVector r3x = DoubleVector.zero(LANES), r3y = DoubleVector.zero(LANES), r3z = DoubleVector.zero(LANES);
        DoubleVector r4x = DoubleVector.zero(LANES), r4y = DoubleVector.zero(LANES), r4z = DoubleVector.zero(LANES);
        DoubleVector r5x = DoubleVector.zero(LANES), r5y = DoubleVector.zero(LANES), r5z = DoubleVector.zero(LANES);
        for (int p = k; p > 0; p--, a += 48, b += bStep) {
            DoubleVector bx = load(b);
            DoubleVector by = load(b + V);
            DoubleVector bz = load(b + 2 * V);
            DoubleVector a0 = DoubleVector.broadcast(LANES, Memory.getDouble(a));
            r0x = a0.fma(bx, r0x);
            r0y = a0.fma(by, r0y);
            r0z = a0.fma(bz, r0z);
            DoubleVector a1 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 8));
            r1x = a1.fma(bx, r1x);
            r1y = a1.fma(by, r1y);
            r1z = a1.fma(bz, r1z);
            DoubleVector a2 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 16));
            r2x = a2.fma(bx, r2x);
            r2y = a2.fma(by, r2y);
            r2z = a2.fma(bz, r2z);
            DoubleVector a3 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 24));
            r3x = a3.fma(bx, r3x);
            r3y = a3.fma(by, r3y);
            r3z = a3.fma(bz, r3z);
            DoubleVector a4 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 32));
            r4x = a4.fma(bx, r4x);
            r4y = a4.fma(by, r4y);
            r4z = a4.fma(bz, r4z);
            DoubleVector a5 = DoubleVector.broadcast(LANES, Memory.getDouble(a + 40));
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

    private static DoubleVector load(long at) {
        return DoubleVector.fromMemorySegment(LANES, Memory.ALL, at, ORDER);
    }

    private static void store(DoubleVector x, long at, boolean add) {
        (add ? load(at).add(x) : x).intoMemorySegment(Memory.ALL, at, ORDER);
    }
}
