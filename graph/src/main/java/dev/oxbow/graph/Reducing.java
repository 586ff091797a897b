package dev.oxbow.graph;

import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.Shape;

/** An op that reduces its first input along axes; the runtime computes an elementwise input in the same loop. */
public interface Reducing extends Op {

    Reduction.Operation operation();

    /** The axes, where they are known; else null. */
    int[] axes(InferenceContext c);

    /** Where rows are reduced in groups, each to a row of the output, how many there are; else 0. */
    default long groups() {
        return 0;
    }

    /** A shape with its rows in groups, which come before them as a dimension. */
    static Shape grouped(Shape s, long groups) {
        return Shape.of(groups).concat(s.withDim(0, s.dim(0) / groups));
    }
}
