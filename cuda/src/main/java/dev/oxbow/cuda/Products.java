package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.linalg.BatchMatMul;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Ops that are products of matrices. */
record Products(Card card, boolean transposeA, boolean transposeB, Blas.After after, Fallback host) implements Kernel {

    /** The kernel of an op that is a product; null for others. */
    static Kernel of(Card card, Op op) {
        return switch (op) {
            case MatMul m -> of(card, op, m.transposeA(), m.transposeB(), Blas.After.NOTHING);
            case BatchMatMul m -> of(card, op, m.adjX(), m.adjY(), Blas.After.NOTHING);
            case BatchMatMulV2 m -> of(card, op, m.adjX(), m.adjY(), Blas.After.NOTHING);
            case Linear l ->
                of(card, op, l.transposeA(), l.transposeB(), l.relu() ? Blas.After.BIAS_AND_RELU : Blas.After.BIAS);
            case LinearGelu l -> new GeluProducts(card, l.transposeA(), l.transposeB(), false, new Fallback(op));
            case LinearGeluGrad l -> new GeluProducts(card, l.transposeA(), l.transposeB(), true, new Fallback(op));
            default -> null;
        };
    }

    private static Products of(Card card, Op op, boolean transposeA, boolean transposeB, Blas.After after) {
        return new Products(card, transposeA, transposeB, after, new Fallback(op));
    }

    @Override
    public void run(KernelContext c) {
        Tensor a = c.input(0), b = c.input(1), y = c.output(0);
        boolean can = Blas.supports(y.dtype()) && a.dtype() == y.dtype() && b.dtype() == y.dtype();
        Shape batch = y.shape().slice(0, y.shape().rank() - 2);
        long each = count(batch), stepA = step(a.shape(), batch), stepB = step(b.shape(), batch);
        if (!can || stepA < 0 || stepB < 0) {
            host.run(c);
            return;
        }
        if (y.size() == 0) return;
        long m = y.shape().dim(-2), n = y.shape().dim(-1), k = a.shape().dim(transposeA ? -2 : -1);
        if (k == 0) {
            if (after != Blas.After.NOTHING) host.run(c);
            else card.space.zero(y.place(), y.byteSize());
            return;
        }
        boolean sum = after == Blas.After.BIAS && c.input(2).shape().rank() == 2;
        Blas.Shape s = new Blas.Shape(
                y.dtype(),
                transposeA,
                transposeB,
                m,
                n,
                k,
                each,
                each == 1 ? 0 : stepA * m * k,
                each == 1 ? 0 : stepB * k * n,
                sum ? Blas.After.SUM : after);
        long bias = after == Blas.After.NOTHING ? 0 : c.input(2).place();
        card.blas().multiply(s, a.place(), b.place(), y.place(), bias);
    }

    private static long count(Shape batch) {
        return batch.size();
    }

    /** How many matrices of an operand follow from one product to the next: 1, 0 where there is one for all, -1 for neither. */
    private static long step(Shape operand, Shape batch) {
        Shape own = operand.slice(0, operand.rank() - 2);
        if (own.size() == batch.size()) return 1;
        return own.size() == 1 ? 0 : -1;
    }
}
