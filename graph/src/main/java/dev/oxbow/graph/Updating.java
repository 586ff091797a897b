package dev.oxbow.graph;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** An op that gives variables new values, element by element, by expressions of the old ones and of its other inputs. */
public interface Updating extends Op {

    /** How many of the first inputs are the variables: handles, or references. */
    int variables();

    /**
     * The new values, one for each variable; an input stands for an element of the variable's value or of the tensor, which is
     * broadcast. All inputs but {@link #rowInput} are used.
     */
    List<Expr> updates(List<Expr> inputs);

    /** The input that says to which rows of the variables those of the gradient belong; -1 where all elements change. */
    default int rowInput() {
        return -1;
    }

    /** Checks the shapes of all inputs, those of the values in the place of variables. */
    void checkShapes(Shape[] shapes);
}
