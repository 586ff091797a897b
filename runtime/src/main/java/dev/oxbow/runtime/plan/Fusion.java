package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.runtime.Formula;
import dev.oxbow.tensor.Shape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Elementwise instructions of one shape that run as one kernel, at the place of the last of them. {@code outputs} are
 * those that others read, in the order of {@code expressions}. With {@code axes}, members of theirs
 * reduce the expressions along them by {@code operation}, rows in {@code groups} unless that is 0. With {@code rows},
 * members work on the rows of {@code shape}, some fold them, and there are no expressions. Unless {@code before} is -1, it
 * runs before that instruction and not where its last member stands.
 */
record Fusion(
        int[] members,
        int[] inputSlots,
        Shape shape,
        List<Port> outputs,
        List<Expr> expressions,
        Reduction.Operation operation,
        int[] axes,
        long groups,
        Formula.Rows rows,
        int before) {

    Fusion(
            int[] members,
            int[] inputSlots,
            Shape shape,
            List<Port> outputs,
            List<Expr> expressions,
            Reduction.Operation operation,
            int[] axes,
            long groups) {
        this(members, inputSlots, shape, outputs, expressions, operation, axes, groups, null, -1);
    }

    boolean reduces() {
        return axes != null;
    }

    /** The shape in which a call takes an input: rows in groups where it reduces so, as it is, null, otherwise. */
    Shape shapeOf(Shape input) {
        return groups > 0 && Pieces.hasRows(input, shape) ? Reducing.grouped(input, groups) : null;
    }

    /** What it computes, or what it does for one of {@code blocks} blocks of rows unless that is 0. */
    Formula formula(int blocks) {
        if (rows != null) {
            Shape part = blocks > 0 ? shape.withDim(0, shape.dim(0) / blocks) : shape;
            return new Formula(List.of(), part, null, null, rows);
        }
        Shape whole = groups > 0 ? Reducing.grouped(shape, groups) : shape;
        Shape here = blocks > 0 ? whole.withDim(0, whole.dim(0) / blocks) : whole;
        int[] along = groups > 0 ? IntStream.of(axes).map(a -> a + 1).toArray() : axes;
        return new Formula(expressions, here, reduces() ? operation : null, along);
    }
}
