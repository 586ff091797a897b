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

    /*
     * The loops are too large to be inlined, so a product made for each call would be allocated. Instead those of a pair of
     * forms are kept by shape. 8 x 8 x 8 takes 44 ns through here, 32 of them in its loop. Threads may race for a place: what
     * they find there is whole, and is compared.
     */

    /** Places for products of one pair of forms, a power of two. */
    private static final int KEPT = 64;

    private static final MatrixProduct[] BY_FORMS = new MatrixProduct[Form.values().length * Form.values().length];

    static {
        for (Form a : Form.values()) for (Form b : Form.values()) BY_FORMS[index(a, b)] = new MatrixProduct(a, b);
    }

    private final Form formA;
    private final Form formB;
    private final Product[] kept = new Product[KEPT];

    private MatrixProduct(Form a, Form b) {
        formA = a;
        formB = b;
    }

    /** The product of operands that are read in these forms. */
    public static MatrixProduct of(Form a, Form b) {
        return BY_FORMS[index(a, b)];
    }

    private static int index(Form a, Form b) {
        return a.ordinal() * Form.values().length + b.ordinal();
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
        int at = (int) ((m * 31 + n) * 31 + k) & KEPT - 1;
        Product p = kept[at];
        if (p != null && p.m() == m && p.n() == n && p.k() == k && p.dtype() == c.dtype()) return p;
        p = Product.of(c.dtype(), m, n, k, formA != Form.PLAIN, formB != Form.PLAIN);
        kept[at] = p;
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
