package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Small products of floats whose second matrix is not transposed: four rows by eight or four columns at a time. */
final class SmallF32 {

    /*
     * Nothing is shared between the two widths: a method that sees vectors of both is compiled to calls with objects.
     */

    private static final VectorSpecies<Float> EIGHT = FloatVector.SPECIES_256;
    private static final VectorSpecies<Float> FOUR = FloatVector.SPECIES_128;
    private static final boolean HAS_EIGHT = FloatVector.SPECIES_PREFERRED.length() >= 8;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    /** Products before it is worth warming up. */
    private static final int FEW = 500;

    private static final Product SQUARE = Product.of(DType.F32, 12, 12, 12);
    private static final Product ADDED = Product.of(DType.F32, 5, 4, 7).added();
    private static final Warmup FAST = new Warmup(FEW, 12 * 12 * 12 / 4 * 3, 3 * 4 * 144, at -> {
        run(SQUARE, at, at + 4 * 144, at + 8 * 144);
        run(ADDED, at, at + 4 * 144, at + 8 * 144);
    });

    private SmallF32() {}

    /** Whether the JIT compiler has made this fast; until then it is slower than plain loops. */
    static boolean isFast() {
        return FAST.isDone();
    }

    static void run(Product p, long a, long b, long c) {
        long m = p.m(), n = p.n(), aRow = 4 * p.rowA(), aStep = 4 * p.columnA(), j = 0;
        long bStep = 4 * p.strideB(), cStep = 4 * p.strideC();
        int k = (int) p.k();
        boolean add = p.accumulate();
        if (HAS_EIGHT) for (; j + 8 <= n; j += 8) eight(m, k, a, aRow, aStep, b + 4 * j, bStep, c + 4 * j, cStep, add);
        for (; j + 4 <= n; j += 4) four(m, k, a, aRow, aStep, b + 4 * j, bStep, c + 4 * j, cStep, add);
        if (j < n) GemmSmall.floats(p, a, b, c, j);
    }

    /** Rows {@code [0, m)} of eight columns. */
    private static void eight(
            long m, int k, long a, long aRow, long aStep, long b, long bStep, long c, long cStep, boolean add) {
        long i = 0;
        for (; i + 4 <= m; i += 4, a += 4 * aRow, c += 4 * cStep) {
            FloatVector s0 = FloatVector.zero(EIGHT), s1 = FloatVector.zero(EIGHT);
            FloatVector s2 = FloatVector.zero(EIGHT), s3 = FloatVector.zero(EIGHT);
            long x = a, y = b;
            for (int p = k; p > 0; p--, x += aStep, y += bStep) {
                FloatVector yp = FloatVector.fromMemorySegment(EIGHT, Memory.ALL, y, ORDER);
                s0 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x)), s0);
                s1 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + aRow)), s1);
                s2 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + 2 * aRow)), s2);
                s3 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + 3 * aRow)), s3);
            }
            storeEight(s0, c, add);
            storeEight(s1, c + cStep, add);
            storeEight(s2, c + 2 * cStep, add);
            storeEight(s3, c + 3 * cStep, add);
        }
        for (; i < m; i++, a += aRow, c += cStep) {
            FloatVector s = FloatVector.zero(EIGHT);
            long x = a, y = b;
            for (int p = k; p > 0; p--, x += aStep, y += bStep) {
                s = FloatVector.fromMemorySegment(EIGHT, Memory.ALL, y, ORDER)
                        .fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x)), s);
            }
            storeEight(s, c, add);
        }
    }

    /** Rows {@code [0, m)} of four columns. */
    private static void four(
            long m, int k, long a, long aRow, long aStep, long b, long bStep, long c, long cStep, boolean add) {
        long i = 0;
        for (; i + 4 <= m; i += 4, a += 4 * aRow, c += 4 * cStep) {
            FloatVector s0 = FloatVector.zero(FOUR), s1 = FloatVector.zero(FOUR);
            FloatVector s2 = FloatVector.zero(FOUR), s3 = FloatVector.zero(FOUR);
            long x = a, y = b;
            for (int p = k; p > 0; p--, x += aStep, y += bStep) {
                FloatVector yp = FloatVector.fromMemorySegment(FOUR, Memory.ALL, y, ORDER);
                s0 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x)), s0);
                s1 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + aRow)), s1);
                s2 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + 2 * aRow)), s2);
                s3 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + 3 * aRow)), s3);
            }
            storeFour(s0, c, add);
            storeFour(s1, c + cStep, add);
            storeFour(s2, c + 2 * cStep, add);
            storeFour(s3, c + 3 * cStep, add);
        }
        for (; i < m; i++, a += aRow, c += cStep) {
            FloatVector s = FloatVector.zero(FOUR);
            long x = a, y = b;
            for (int p = k; p > 0; p--, x += aStep, y += bStep) {
                s = FloatVector.fromMemorySegment(FOUR, Memory.ALL, y, ORDER)
                        .fma(FloatVector.broadcast(FOUR, Memory.getFloat(x)), s);
            }
            storeFour(s, c, add);
        }
    }

    private static void storeEight(FloatVector x, long at, boolean add) {
        (add ? FloatVector.fromMemorySegment(EIGHT, Memory.ALL, at, ORDER).add(x) : x)
                .intoMemorySegment(Memory.ALL, at, ORDER);
    }

    private static void storeFour(FloatVector x, long at, boolean add) {
        (add ? FloatVector.fromMemorySegment(FOUR, Memory.ALL, at, ORDER).add(x) : x)
                .intoMemorySegment(Memory.ALL, at, ORDER);
    }
}
