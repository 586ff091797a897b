package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.numeric.MatMul.Form;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;

/** Plain loops for products of whole numbers, which wrap around, and of complex numbers. */
final class GemmOther {
    private GemmOther() {}

    static void integers(
            DType t,
            boolean ta,
            boolean tb,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            Parallel parallel) {
        int w = t.size();
        parallel.run(m, Math.max(1, (1 << 15) / Math.max(1, n * k)), (from, to) -> {
            for (long i = from; i < to; i++) {
                for (long j = 0; j < n; j++) {
                    long sum = 0;
                    for (long p = 0; p < k; p++) {
                        sum += integer(w, a, ta ? p * lda + i : i * lda + p)
                                * integer(w, b, tb ? j * ldb + p : p * ldb + j);
                    }
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

    static void complexes(
            DType t,
            Form formA,
            Form formB,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            Parallel parallel) {
        int w = t.real().size();
        boolean ta = formA != Form.PLAIN, tb = formB != Form.PLAIN;
        double signA = formA == Form.ADJOINT ? -1 : 1, signB = formB == Form.ADJOINT ? -1 : 1;
        parallel.run(m, Math.max(1, (1 << 14) / Math.max(1, n * k)), (from, to) -> {
            for (long i = from; i < to; i++) {
                for (long j = 0; j < n; j++) {
                    double real = 0, imaginary = 0;
                    for (long p = 0; p < k; p++) {
                        long x = 2 * (ta ? p * lda + i : i * lda + p), y = 2 * (tb ? j * ldb + p : p * ldb + j);
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
