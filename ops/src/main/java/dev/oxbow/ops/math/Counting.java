package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.tensor.Tensor;

/** What the bincount ops share. */
final class Counting {
    private Counting() {}

    static long size(InferenceContext c, int input) {
        require(
                c.shape(input).rank() <= 0
                        || c.shape(input).isFullyKnown() && c.shape(input).size() == 1,
                INVALID_ARGUMENT,
                "Shape must be rank 0 but is rank %d",
                c.shape(input).rank());
        long[] n = c.longs(input);
        require(n == null || n[0] >= 0, INVALID_ARGUMENT, "size (%s) must be non-negative", n == null ? "?" : n[0]);
        return n == null ? -1 : n[0];
    }

    /** Adds one or its weight to the bin of value {@code i}; values beyond the bins are left out. */
    static void add(Tensor values, long i, Tensor weights, boolean binary, Tensor y, long row, long bins) {
        long v = values.getLong(i);
        require(v >= 0, INVALID_ARGUMENT, "Input must be non-negative, got %d", v);
        if (v >= bins) return;
        long at = row * bins + v;
        boolean weighted = weights.size() > 0;
        if (y.dtype().isFloating()) y.set(at, binary ? 1 : y.getDouble(at) + (weighted ? weights.getDouble(i) : 1));
        else y.setLong(at, binary ? 1 : y.getLong(at) + (weighted ? weights.getLong(i) : 1));
    }

    /** Checks that there are no weights, or as many as values. */
    static void check(Tensor values, Tensor weights) {
        require(
                weights.size() == 0 || weights.size() == values.size(),
                INVALID_ARGUMENT,
                "weights must be empty or have the shape of the values: %s vs. %s",
                weights.shape(),
                values.shape());
    }
}
