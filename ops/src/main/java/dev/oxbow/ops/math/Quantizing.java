package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;

/** What ops between numbers and quantised levels demand of their limits. */
final class Quantizing {
    private Quantizing() {}

    /** Checks the least and greatest values in inputs {@code min} and the one after: one, or one for each channel of an axis. */
    static void limits(InferenceContext c, int axis, int values, int min) {
        require(axis >= -1, INVALID_ARGUMENT, "axis must be -1 or an axis of the input, got %d", axis);
        if (axis >= 0) c.rankAtLeast(values, axis + 1);
        for (int i = min; i < min + 2; i++) {
            if (axis < 0) c.single(i);
            else c.vector(i, c.shape(values).dim(axis));
        }
    }
}
