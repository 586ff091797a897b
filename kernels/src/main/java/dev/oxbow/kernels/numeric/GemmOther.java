package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;

/** Plain loops for products of whole numbers, which wrap around, and of complex numbers. */
final class GemmOther {
    private GemmOther() {}

    static void integers(Product p, long a, long b, long c, Parallel parallel) {
        long m = p.m(), n = p.n(), k = p.k();
        int w = p.width();
        parallel.run(m, Math.max(1, (1 << 15) / Math.max(1, n * k)), (from, to) -> {
            for (long i = from; i < to; i++) {
                for (long j = 0; j < n; j++) {
                    long sum = 0;
                    for (long q = 0; q < k; q++)
                        sum += integer(w, a, i * p.rowA() + q * p.columnA())
                                * integer(w, b, q * p.rowB() + j * p.columnB());
                    put(w, c, i * n + j, sum);
                }
            }
        });
    }

    /** Low bits are enough: signed and unsigned products agree modulo the width. */
    private static long integer(int w, long base, long i) {
        return switch (w) {
            case 1 -> Memory.getByte(base + i);
            case 2 -> Memory.getShort(base + 2 * i);
            case 4 -> Memory.getInt(base + 4 * i);
            case 8 -> Memory.getLong(base + 8 * i);
            default -> throw new OxbowException(INVALID_ARGUMENT, "MatMul: no product of elements of " + w + " bytes");
        };
    }

    private static void put(int w, long base, long i, long x) {
        switch (w) {
            case 1 -> Memory.putByte(base + i, (byte) x);
            case 2 -> Memory.putShort(base + 2 * i, (short) x);
            case 4 -> Memory.putInt(base + 4 * i, (int) x);
            default -> Memory.putLong(base + 8 * i, x);
        }
    }

    /** With either operand conjugated. */
    static void complexes(
            Product p, boolean conjugateA, boolean conjugateB, long a, long b, long c, Parallel parallel) {
        long m = p.m(), n = p.n(), k = p.k();
        int w = p.dtype().real().size();
        double signA = conjugateA ? -1 : 1, signB = conjugateB ? -1 : 1;
        parallel.run(m, Math.max(1, (1 << 14) / Math.max(1, n * k)), (from, to) -> {
            for (long i = from; i < to; i++) {
                for (long j = 0; j < n; j++) {
                    double real = 0, imaginary = 0;
                    for (long q = 0; q < k; q++) {
                        long x = 2 * (i * p.rowA() + q * p.columnA()), y = 2 * (q * p.rowB() + j * p.columnB());
                        double xr = Gemm.get(w, a, x), xi = signA * Gemm.get(w, a, x + 1);
                        double yr = Gemm.get(w, b, y), yi = signB * Gemm.get(w, b, y + 1);
                        real += xr * yr - xi * yi;
                        imaginary += xr * yi + xi * yr;
                    }
                    Gemm.put(w, c, 2 * (i * n + j), real);
                    Gemm.put(w, c, 2 * (i * n + j) + 1, imaginary);
                }
            }
        });
    }
}
