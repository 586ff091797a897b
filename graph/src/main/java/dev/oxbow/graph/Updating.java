package dev.oxbow.graph;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
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

    /** The dtype in which each variable's new value is wanted beside it, null for none; {@code shadows} has a tensor for each, or null. */
    static List<DType> shadowed(Tensor[] shadows) {
        return Arrays.stream(shadows).map(s -> s == null ? null : s.dtype()).toList();
    }

    /** New values, followed by those that are wanted in another dtype as well. */
    static List<Expr> withShadows(List<Expr> updates, List<DType> shadowed) {
        List<Expr> all = new ArrayList<>(updates);
        for (int i = 0; i < shadowed.size(); i++)
            if (shadowed.get(i) != null) all.add(updates.get(i).cast(shadowed.get(i)));
        return all;
    }

    /** Where these lie: variables are the first inputs. */
    static Tensor[] outputs(Tensor[] inputs, Tensor[] shadows) {
        List<Tensor> all = new ArrayList<>(Arrays.asList(inputs).subList(0, shadows.length));
        for (Tensor s : shadows) if (s != null) all.add(s);
        return all.toArray(Tensor[]::new);
    }

    /** Checks the shapes of all inputs, those of the values in the place of variables. */
    void checkShapes(Shape[] shapes);
}
