package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Products of matrices and of batches of matrices, of any numeric dtype. */
public final class MatrixProduct {
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

    private final Form formA;
    private final Form formB;

    /** The product of the last call: where shapes stay, it is made once. Racing threads see one or the other. */
    private Product last;

    public MatrixProduct(Form a, Form b) {
        formA = a;
        formB = b;
    }

    /** {@code c = a * b} over the last two dimensions, broadcasting those before; {@code c} has the broadcast shape. */
    public void run(Tensor a, Tensor b, Tensor c, MemoryPool pool, Parallel parallel) {
        if (c.size() == 0) return;
        if (c.shape().rank() == 2 && !Scratch.isNarrow(c.dtype())) {
            multiply(product(a, c), a.address(), b.address(), c.address(), pool, parallel);
            return;
        }
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor wideC = s.standIn(c);
            batches(s.widened(a), s.widened(b), wideC, pool, parallel);
            s.narrow(wideC, c);
        }
    }

    private Product product(Tensor a, Tensor c) {
        int rank = c.shape().rank();
        long m = c.shape().dim(rank - 2), n = c.shape().dim(rank - 1);
        long k = a.shape().dim(formA == Form.PLAIN ? -1 : -2);
        Product p = last;
        if (p != null && p.m() == m && p.n() == n && p.k() == k && p.dtype() == c.dtype()) return p;
        p = Product.of(c.dtype(), m, n, k, formA != Form.PLAIN, formB != Form.PLAIN);
        last = p;
        return p;
    }

    private void batches(Tensor a, Tensor b, Tensor c, MemoryPool pool, Parallel parallel) {
        Product p = product(a, c);
        long count = c.shape().size(0, c.shape().rank() - 2), w = p.width();
        boolean inside = count == 1 || p.work() >= WORTH_CUTTING;
        Parallel outer = inside ? Parallel.SERIAL : parallel, inner = inside ? parallel : Parallel.SERIAL;
        outer.run(count, Math.max(1, WORTH_CUTTING / 16 / Math.max(1, p.work())), (from, to) -> {
            for (long i = from; i < to; i++)
                multiply(
                        p,
                        a.address() + Batches.offset(a.shape(), c.shape(), i) * p.m() * p.k() * w,
                        b.address() + Batches.offset(b.shape(), c.shape(), i) * p.k() * p.n() * w,
                        c.address() + i * p.m() * p.n() * w,
                        pool,
                        inner);
        });
    }

    private void multiply(Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        DType t = p.dtype();
        if (t == DType.F32 || t == DType.F64) Gemm.run(p, a, b, c, pool, parallel);
        else if (t.isComplex()) GemmOther.complexes(p, formA == Form.ADJOINT, formB == Form.ADJOINT, a, b, c, parallel);
        else GemmOther.integers(p, a, b, c, parallel);
    }
}
