package dev.oxbow.cuda;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.Tensor;

/**
 * Gives a variable a value. A small one is copied to where the variable lies, which then does not move from step to step, so
 * that steps with such updates, as of Adam's powers, are graphs; a large one, or one of another shape, is kept as it is.
 */
record Assign(AssignVariableOp op) implements Kernel {
    private static final long SMALL = 1 << 16;

    @Override
    public void run(KernelContext c) {
        Variable v = ResourceHandle.resource(c.input(0), Variable.class);
        Tensor value = c.input(1);
        boolean fits = v.isInitialised()
                && v.dtype() == value.dtype()
                && !value.dtype().isObject()
                && v.valueShape().equals(value.shape())
                && value.byteSize() <= SMALL
                && value.isIn(c.memory().space());
        if (fits) v.update(c.memory(), value::copyTo);
        else op.cpu().run(c);
    }
}
