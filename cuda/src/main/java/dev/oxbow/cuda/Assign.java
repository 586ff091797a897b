package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Gives a variable a value by copying that to where the variable lies, unless something was found wrong before: then the variable
 * stays what it was, like those of all other updates. It does not move from step to step either, so steps with such updates, as of
 * Adam's powers, are graphs. Where it has no value yet, or one of another shape, the new one is kept as it is.
 */
final class Assign implements Kernel {
    private final Card card;
    private final Kernel first;

    /** By the bytes of an element. */
    private final CardElementwise[] copies = new CardElementwise[17];

    Assign(Card card, AssignVariableOp op) {
        this.card = card;
        this.first = op.cpu();
    }

    @Override
    public void run(KernelContext c) {
        Variable v = ResourceHandle.resource(c.input(0), Variable.class);
        Tensor value = c.input(1);
        boolean fits = v.isInitialised()
                && v.dtype() == value.dtype()
                && !value.dtype().isObject()
                && v.valueShape().equals(value.shape())
                && value.isIn(c.memory().space());
        if (!fits) {
            first.run(c);
            return;
        }
        CardElementwise copy = copy(value.dtype());
        v.update(c.memory(), t -> copy.run(value.shape(), new Tensor[] {value}, new Tensor[] {t}));
    }

    /** A copy of elements as integers of their size, which keeps the bits of what is no number, too. */
    private synchronized CardElementwise copy(DType t) {
        int bytes = t.size();
        if (copies[bytes] == null) {
            DType d = bytes == 1 ? DType.U8 : bytes == 2 ? DType.I16 : bytes == 4 ? DType.I32 : DType.I64;
            DType moved = bytes == 16 ? DType.C128 : d;
            copies[bytes] = new CardElementwise(card, "assign", List.of(Expr.input(0, moved)), true);
        }
        return copies[bytes];
    }
}
