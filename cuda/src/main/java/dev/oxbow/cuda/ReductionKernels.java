package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Reducing;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A reduction that no plan has joined to anything: its axes are read on the host. */
final class ReductionKernels implements Kernel {
    private final Card card;
    private final Reducing op;
    private final Fallback host;
    private DType dtype;
    private CardReduction kernel;

    ReductionKernels(Card card, Reducing op) {
        this.card = card;
        this.op = op;
        this.host = new Fallback(op);
    }

    @Override
    public void run(KernelContext c) {
        Tensor x = c.input(0);
        boolean product =
                op.operation() == Reduction.Operation.PROD && x.dtype().isComplex();
        int[] axes = x.size() == 0 || product || !c.isAllocated(0) ? null : op.axes(new RunTypes(c));
        if (axes == null) {
            host.run(c);
            return;
        }
        Shape shape = x.shape();
        if (op.groups() > 0) {
            shape = Reducing.grouped(shape, op.groups());
            for (int i = 0; i < axes.length; i++) axes[i]++;
        }
        Tensor grouped = op.groups() > 0 ? x.lent(shape, 0) : x;
        if (axes.length == 0) x.copyTo(c.output(0));
        else kernel(x.dtype()).run(shape, axes, new Tensor[] {grouped}, new Tensor[] {c.output(0)}, c.memory());
    }

    private synchronized CardReduction kernel(DType now) {
        if (now != dtype) {
            kernel = new CardReduction(card, op.operation(), List.of(Expr.input(0, now)));
            dtype = now;
        }
        return kernel;
    }
}
