package dev.oxbow.graph;

import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** An op whose every output element is one scalar expression of the broadcast inputs; the runtime fuses chains of them. */
public interface Elementwise extends Op {

    /** The output elements in terms of the input elements, whose dtypes the expressions know; one for each output. */
    List<Expr> expressions(List<Expr> inputs);

    /** How many of the first inputs the expression takes; others only say what shape the output has. */
    default int operands(int inputs) {
        return inputs;
    }

    /** Whether inputs broadcast by the usual rule, so that the expression is all there is to the op. */
    default boolean broadcasts() {
        return true;
    }
}
