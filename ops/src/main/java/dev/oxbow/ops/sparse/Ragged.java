package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Tensor;

/** What ops on ragged tensors share. */
final class Ragged {
    private Ragged() {}

    /** Checks that row splits begin at 0, do not descend and end at the number of {@code values} they split. */
    static void checkSplits(Tensor splits, long values) {
        long n = splits.size();
        require(n > 0, INVALID_ARGUMENT, "row splits must have at least one element, got %s", splits.describe());
        require(splits.getLong(0) == 0, INVALID_ARGUMENT, "row splits must begin with 0, got %d", splits.getLong(0));
        for (long i = 1; i < n; i++)
            if (splits.getLong(i) < splits.getLong(i - 1))
                require(
                        false,
                        INVALID_ARGUMENT,
                        "row splits must not descend, got %d after %d at %d",
                        splits.getLong(i),
                        splits.getLong(i - 1),
                        i);
        require(
                splits.getLong(n - 1) == values,
                INVALID_ARGUMENT,
                "row splits must end with the number of values %d, got %d",
                values,
                splits.getLong(n - 1));
    }
}
