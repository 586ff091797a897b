package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An op over rows, for the types that come; the host's kernel where it has no formula for them. */
final class RowKernels implements Kernel {
    private final Card card;
    private final RowWise op;
    private final Fallback host;
    private List<TensorType> types;
    private CardRows kernel;
    private int number;

    RowKernels(Card card, RowWise op) {
        this.card = card;
        this.op = op;
        this.host = new Fallback(op);
    }

    @Override
    public void run(KernelContext c) {
        Tensor x = c.input(0);
        CardRows k = x.size() == 0 || x.shape().rank() == 0 ? null : kernel(c);
        if (k == null) {
            host.run(c);
            return;
        }
        long columns = x.shape().dim(-1);
        k.run(x.size() / columns, columns, c.inputs(), c.outputs(), number);
    }

    private synchronized CardRows kernel(KernelContext c) {
        List<TensorType> now = new ArrayList<>();
        for (Tensor t : c.inputs()) now.add(new TensorType(t.dtype(), t.shape()));
        if (!now.equals(types)) {
            RowFormula f = op.rows(now);
            kernel = f == null ? null : new CardRows(card, f, op.columnInput());
            if (op.columnInput() >= 0) number = card.faults.number(c.node(), op::noColumn);
            types = now;
        }
        return kernel;
    }
}
