package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.RowWise;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.compile.RowKernel;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * What a fused kernel computes: for each output an expression of the inputs, broadcast to {@code shape}; with an
 * {@code operation}, else null, reduced by it along {@code axes}. With {@code rows}, else null, it is that formula over the
 * rows of {@code shape}.
 */
public record Formula(List<Expr> expressions, Shape shape, Reduction.Operation operation, int[] axes, Rows rows) {

    /**
     * A formula over rows. Input {@code checked}, unless that is -1, names a column for each row, which must be there;
     * {@code op} of node {@code node} says so.
     */
    public record Rows(RowFormula formula, int checked, RowWise op, String node) {}

    public Formula(List<Expr> expressions, Shape shape, Reduction.Operation operation, int[] axes) {
        this(expressions, shape, operation, axes, null);
    }

    /** The kernel for memory of the host. */
    public Kernel onHost() {
        if (rows != null) return rowsOnHost();
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

    private Kernel rowsOnHost() {
        RowKernel kernel = rows.formula.kernel();
        long columns = shape.dim(-1), count = shape.size() / columns;
        return c -> {
            if (rows.checked >= 0) check(c.inputs()[rows.checked], columns);
            kernel.run(c.parallel(), count, columns, c.inputs(), c.outputs());
        };
    }

    private void check(Tensor named, long columns) {
        for (long r = 0; r < named.size(); r++) {
            long column = named.getLong(r);
            if (column < 0 || column >= columns)
                require(false, INVALID_ARGUMENT, "%s", rows.op.noColumn(r, column, columns));
        }
    }
}
