package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Products with GELU or its gradient inside; where the library has no such product, a kernel of its own follows it. */
record GeluProducts(Card card, boolean transposeA, boolean transposeB, boolean gradient, Fallback host)
        implements Kernel {

    @Override
    public void run(KernelContext c) {
        Tensor a = c.input(0), b = c.input(1), y = c.output(0);
        long m = y.shape().dim(-2), n = y.shape().dim(-1), k = a.shape().dim(transposeA ? -2 : -1);
        boolean can = Blas.supports(y.dtype()) && k > 0 && y.dtype() != DType.F64;
        if (!can) {
            host.run(c);
            return;
        }
        if (y.size() == 0) return;
        Tensor beside = gradient ? c.input(2) : c.output(1);
        long bias = gradient ? 0 : c.input(2).place();
        Blas.After after = gradient ? Blas.After.GELU_GRADIENT : Blas.After.BIAS_AND_GELU;
        Blas.Operands all = new Blas.Operands(a.place(), b.place(), y.place(), bias, beside.place());
        if (card.blas().multiply(shape(y, m, n, k, after), all)) return;
        Expr x = Expr.input(0, y.dtype()), other = Expr.input(1, y.dtype());
        Tensor[] in, out = {y};
        List<Expr> formula;
        if (gradient) {
            card.blas().multiply(shape(y, m, n, k, Blas.After.NOTHING), a.place(), b.place(), y.place(), 0);
            in = new Tensor[] {y, beside};
            formula = List.of(GeluFormulas.gradient(x, other));
        } else {
            card.blas().multiply(shape(y, m, n, k, Blas.After.BIAS), a.place(), b.place(), beside.place(), bias);
            in = new Tensor[] {beside};
            formula = List.of(GeluFormulas.value(x));
        }
        new CardElementwise(card, "GELU", formula, false).run(y.shape(), in, out);
    }

    private Blas.Shape shape(Tensor y, long m, long n, long k, Blas.After after) {
        return new Blas.Shape(y.dtype(), transposeA, transposeB, m, n, k, 1, 0, 0, after);
    }
}
