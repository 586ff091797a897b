package dev.oxbow.runtime;

import dev.oxbow.graph.Kernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * What a fused kernel computes: for each output an expression of the inputs, broadcast to {@code shape}; with an
 * {@code operation}, else null, reduced by it along {@code axes}.
 */
public record Formula(List<Expr> expressions, Shape shape, Reduction.Operation operation, int[] axes) {

    /** The kernel for memory of the host. */
    public Kernel onHost() {
        if (operation != null) {
            Reduction reduction = Reduction.of(operation, expressions);
            return c -> reduction.run(c.parallel(), shape, axes, c.inputs(), c.outputs());
        }
        ElementwiseKernel.Use kernel = ElementwiseKernel.of(expressions).use();
        return c -> {
            Tensor[] outputs = c.outputs();
            kernel.run(c.parallel(), outputs[0].shape(), c.inputs(), outputs);
        };
    }
}
