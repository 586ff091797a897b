package dev.oxbow.cuda;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An elementwise op by itself: its expression for the dtypes that come; the host's kernel where there is no text for it. */
final class ElementwiseKernels implements Kernel {
    private final Card card;
    private final Elementwise op;
    private final Fallback host;
    private List<DType> dtypes;
    private CardElementwise kernel;

    ElementwiseKernels(Card card, Elementwise op) {
        this.card = card;
        this.op = op;
        this.host = new Fallback(op);
    }

    @Override
    public void run(KernelContext c) {
        CardElementwise k = isPlain(c) ? kernel(c) : null;
        if (k == null) host.run(c);
        else k.run(c.output(0).shape(), c.inputs(), c.outputs());
    }

    /** Whether operands broadcast to the outputs, which are all of one shape. */
    private boolean isPlain(KernelContext c) {
        if (!op.broadcasts() || c.outputCount() == 0) return false;
        for (int i = 0; i < c.outputCount(); i++) if (!c.isAllocated(i)) return false;
        Shape out = c.output(0).shape();
        for (Tensor t : c.outputs()) if (!t.shape().equals(out) || t.dtype().isObject()) return false;
        int operands = op.operands(c.inputCount());
        for (int i = 0; i < operands; i++) {
            Tensor t = c.input(i);
            if (t.dtype().isObject() || t.shape().rank() > out.rank()) return false;
            if (!out.equals(Shape.broadcast(t.shape(), out))) return false;
        }
        return true;
    }

    private synchronized CardElementwise kernel(KernelContext c) {
        List<DType> now = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) now.add(c.input(i).dtype());
        if (!now.equals(dtypes)) {
            List<Expr> inputs = new ArrayList<>();
            for (int i = 0; i < op.operands(now.size()); i++) inputs.add(Expr.input(i, now.get(i)));
            List<Expr> made = op.expressions(inputs);
            kernel = CudaText.supports(made)
                    ? new CardElementwise(card, op.signature().name(), made, false)
                    : null;
            dtypes = now;
        }
        return kernel;
    }
}
