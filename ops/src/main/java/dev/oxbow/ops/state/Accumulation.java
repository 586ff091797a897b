package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What ops share that add to a whole variable or subtract from it. */
final class Accumulation {
    private Accumulation() {}

    static void check(Shape variable, Shape value) {
        require(
                variable.isCompatibleWith(value),
                INVALID_ARGUMENT,
                "Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.",
                variable,
                value);
    }

    /** {@code v = v + value} or {@code v - value} in place, for the variable behind input 0. */
    static void run(KernelContext c, Variable v, boolean subtract) {
        Tensor value = c.input(1);
        DType d = value.dtype();
        Expr x = Expr.input(0, d), y = Expr.input(1, d);
        ElementwiseKernel kernel = ElementwiseKernel.of(subtract ? x.minus(y) : x.plus(y));
        v.update(c.memory(), t -> {
            Variables.requireType(t, d);
            check(t.shape(), value.shape());
            kernel.run(c.parallel(), t.shape(), new Tensor[] {t, value}, new Tensor[] {t});
        });
    }
}
