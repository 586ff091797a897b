package dev.oxbow.runtime;

import dev.oxbow.graph.Kernel;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * Elementwise instructions of one shape that run as one kernel, at the place of the last of them. {@code outputs} are
 * pairs of member and port that others read, in the order of {@code expressions}. With {@code axes}, the last member
 * reduces the one expression along them by {@code operation}.
 */
record Fusion(
        int[] members,
        int[] inputSlots,
        Shape shape,
        int[][] outputs,
        List<Expr> expressions,
        Reduction.Operation operation,
        int[] axes) {

    boolean reduces() {
        return axes != null;
    }

    /** The kernel over a bound call's operands. */
    Kernel bound() {
        if (reduces()) {
            Reduction reduction = Reduction.of(operation, expressions);
            return c -> {
                InstructionContext x = (InstructionContext) c;
                reduction.run(x.parallel(), rows(x), axes, x.inputs, x.outputs);
            };
        }
        ElementwiseKernel.Use kernel = ElementwiseKernel.of(expressions).use();
        return c -> {
            InstructionContext x = (InstructionContext) c;
            kernel.run(x.parallel(), x.outputs[0].shape(), x.inputs, x.outputs);
        };
    }

    /** The shape before the reduction, of the rows that a block of a chain has. */
    private Shape rows(InstructionContext x) {
        if (shape.rank() == 0 || axes.length > 0 && axes[0] == 0) return shape;
        long rows = x.outputs[0].shape().dim(0);
        return rows == shape.dim(0) ? shape : shape.withDim(0, rows);
    }
}
