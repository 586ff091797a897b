package dev.oxbow.graph;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.RowFormula;
import java.util.List;

/** An op that takes its inputs row by row, along their last dimension, with folds of a row in its formula. */
public interface RowWise extends Op {

    /**
     * The formula, with the inputs and outputs of the op in their order; null where inputs of these types are not rows of one
     * matrix, or one value for each row of it.
     */
    RowFormula rows(List<TensorType> inputs);

    /**
     * The outputs as parts of a formula that others have begun, from elements of the inputs; null where it has to stand alone.
     * Outputs of a lower rank than the first input have one element for each row.
     */
    default List<Expr> join(RowFormula f, List<Expr> inputs) {
        return null;
    }

    /** The input that names a column for each row, which must be there; -1 for none. */
    default int columnInput() {
        return -1;
    }

    /** What is wrong where the column does not exist that the input names for a row. */
    default String noColumn(long row, long named, long columns) {
        return "row %d names column %d, which is outside of [0, %d)".formatted(row, named, columns);
    }
}
