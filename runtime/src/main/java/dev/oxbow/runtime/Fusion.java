package dev.oxbow.runtime;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.RowCut;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Elementwise instructions of one shape that run as one kernel, at the place of the last of them. {@code outputs} are
 * pairs of member and port that others read, in the order of {@code expressions}. With {@code axes}, the last member
 * reduces the one expression along them by {@code operation}, rows in {@code groups} unless that is 0.
 */
record Fusion(
        int[] members,
        int[] inputSlots,
        Shape shape,
        int[][] outputs,
        List<Expr> expressions,
        Reduction.Operation operation,
        int[] axes,
        long groups) {

    boolean reduces() {
        return axes != null;
    }

    /** The kernel over a bound call's operands. */
    Kernel bound() {
        if (reduces()) {
            Reduction reduction = Reduction.of(operation, expressions);
            if (groups > 0) return c -> reduceGroups(reduction, (InstructionContext) c);
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

    private void reduceGroups(Reduction reduction, InstructionContext x) {
        long here = x.outputs[0].shape().dim(0);
        Shape rows = shape.withDim(0, shape.dim(0) / groups * here);
        Shape grouped = Shape.of(here).concat(rows.withDim(0, rows.dim(0) / here));
        Tensor[] inputs = new Tensor[x.inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            boolean cut = RowCut.isCut(x.inputs[i].shape(), rows);
            inputs[i] = cut ? Reducing.grouped(x.inputs[i], here) : x.inputs[i].retain();
        }
        try {
            int[] within = IntStream.of(axes).map(a -> a + 1).toArray();
            reduction.run(x.parallel(), grouped, within, inputs, x.outputs);
        } finally {
            for (Tensor t : inputs) t.release();
        }
    }

    /** The shape before the reduction, of the rows that a block of a chain has. */
    private Shape rows(InstructionContext x) {
        if (shape.rank() == 0 || axes.length > 0 && axes[0] == 0) return shape;
        long rows = x.outputs[0].shape().dim(0);
        return rows == shape.dim(0) ? shape : shape.withDim(0, rows);
    }
}
