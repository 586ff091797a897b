package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Products of matrices and of batches of matrices, of any numeric dtype. */
public final class MatMul {
    /** Multiplications from which one product is worth cutting into tasks. */
    private static final long WORTH_CUTTING = 1 << 21;

    /** How an operand is read. */
    public enum Form {
        PLAIN,
        TRANSPOSED,
        /** Conjugated and transposed. */
        ADJOINT;

        public static Form of(boolean transposed, boolean adjoint) {
            return adjoint ? ADJOINT : transposed ? TRANSPOSED : PLAIN;
        }
    }

    private MatMul() {}

    /** {@code c = a * b} over the last two dimensions, broadcasting those before; {@code c} has the broadcast shape. */
    public static void run(Tensor a, Form formA, Tensor b, Form formB, Tensor c, MemoryPool pool, Parallel parallel) {
        if (c.size() == 0) return;
        if (c.shape().rank() == 2 && !Scratch.isNarrow(c.dtype())) {
            long k = a.shape().dim(formA == Form.PLAIN ? 1 : 0),
                    lda = a.shape().dim(1),
                    ldb = b.shape().dim(1);
            long m = c.shape().dim(0), n = c.shape().dim(1);
            product(c.dtype(), formA, formB, m, n, k, a.address(), lda, b.address(), ldb, c.address(), pool, parallel);
            return;
        }
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor wideC = s.standIn(c);
            batches(s.widened(a), formA, s.widened(b), formB, wideC, pool, parallel);
            s.narrow(wideC, c);
        }
    }

    private static void batches(
            Tensor a, Form formA, Tensor b, Form formB, Tensor c, MemoryPool pool, Parallel parallel) {
        long m = c.shape().dim(-2), n = c.shape().dim(-1), k = a.shape().dim(formA == Form.PLAIN ? -1 : -2);
        long lda = a.shape().dim(-1), ldb = b.shape().dim(-1);
        long stepA = a.shape().dim(-2) * lda, stepB = b.shape().dim(-2) * ldb;
        long count = c.shape().size(0, c.shape().rank() - 2);
        boolean inside = count == 1 || m * n * k >= WORTH_CUTTING;
        int w = c.dtype().size();
        Parallel outer = inside ? Parallel.SERIAL : parallel;
        outer.run(count, Math.max(1, WORTH_CUTTING / 16 / Math.max(1, m * n * k)), (from, to) -> {
            for (long i = from; i < to; i++) {
                product(
                        c.dtype(),
                        formA,
                        formB,
                        m,
                        n,
                        k,
                        a.address() + Batches.offset(a.shape(), c.shape(), i) * stepA * w,
                        lda,
                        b.address() + Batches.offset(b.shape(), c.shape(), i) * stepB * w,
                        ldb,
                        c.address() + i * m * n * w,
                        pool,
                        inside ? parallel : Parallel.SERIAL);
            }
        });
    }

    private static void product(
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
            MemoryPool pool,
            Parallel parallel) {
        boolean ta = formA != Form.PLAIN, tb = formB != Form.PLAIN;
        if (t == DType.F32 || t == DType.F64) Gemm.run(t, ta, tb, m, n, k, a, lda, b, ldb, c, n, false, pool, parallel);
        else if (t.isComplex()) GemmOther.complexes(t, formA, formB, m, n, k, a, lda, b, ldb, c, parallel);
        else GemmOther.integers(t, ta, tb, m, n, k, a, lda, b, ldb, c, parallel);
    }
}
