package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** What both multinomial ops share. */
final class Categorical {
    private Categorical() {}

    static List<TensorType> infer(InferenceContext c) {
        Shape logits = c.shape(0);
        require(
                logits.rank() == 2 || !logits.isRankKnown(),
                INVALID_ARGUMENT,
                "Input logits should be a matrix, got shape: %s",
                logits);
        require(
                c.shape(1).rank() <= 0,
                INVALID_ARGUMENT,
                "Number of samples should be a scalar, got shape: %s",
                c.shape(1));
        long[] n = c.longs(1);
        require(
                n == null || n[0] >= 0,
                INVALID_ARGUMENT,
                "num_samples should be nonnegative, got %d",
                n == null ? 0 : n[0]);
        return List.of(new TensorType(c.outputDtype(0), Shape.of(logits.dim(0), n == null ? -1 : n[0])));
    }
}
