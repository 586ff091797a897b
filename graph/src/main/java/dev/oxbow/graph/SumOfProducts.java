package dev.oxbow.graph;

import java.util.List;

/**
 * An op that multiplies its two inputs and sums over an axis of each: the sum of several such values is one value, of
 * their inputs joined along those axes.
 */
public interface SumOfProducts extends Op {

    /** The axis of input 0 or 1 that is summed over. */
    int summedAxis(int input);

    @Override
    default Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == summedAxis(0) ? Pieces.summands(outputs, axis, summedAxis(1)) : null;
    }
}
