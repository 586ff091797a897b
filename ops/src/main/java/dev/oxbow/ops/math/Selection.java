package dev.oxbow.ops.math;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** The kernel of both forms of Select. */
final class Selection {
    private Selection() {}

    /** {@code y = condition ? a : b}, all broadcast to y. */
    static void run(KernelContext c, Tensor condition, Tensor a, Tensor b, Tensor y) {
        if (y.dtype().isObject()) {
            objects(condition, a, b, y);
            return;
        }
        Expr choice = Expr.select(Expr.input(0, DType.BOOL), Expr.input(1, a.dtype()), Expr.input(2, a.dtype()));
        ElementwiseKernel.of(choice).run(c.parallel(), y.shape(), new Tensor[] {condition, a, b}, new Tensor[] {y});
    }

    private static void objects(Tensor condition, Tensor a, Tensor b, Tensor y) {
        Shape s = y.shape();
        long[] sc = StringLoops.strides(condition.shape(), s);
        long[] sa = StringLoops.strides(a.shape(), s), sb = StringLoops.strides(b.shape(), s);
        for (long i = 0; i < y.size(); i++) {
            boolean first = condition.getLong(StringLoops.position(s, i, sc)) != 0;
            Object value = first
                    ? a.objects()[(int) StringLoops.position(s, i, sa)]
                    : b.objects()[(int) StringLoops.position(s, i, sb)];
            if (value instanceof Counted counted) counted.retain();
            y.objects()[(int) i] = value;
        }
    }
}
