package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Scores of classes for each time and row of a batch, [time, batch, classes], of which each row has its own length.
 *
 * @param lengths how many times each row has
 */
record CtcInputs(Tensor scores, int times, int batch, int classes, int[] lengths) {

    static void check(Shape scores, Shape lengths) {
        Arguments.rank("inputs", scores, 3);
        Arguments.rank("sequence_length", lengths, 1);
        if (scores.rank() == 3 && lengths.rank() == 1)
            require(
                    scores.dim(1) < 0 || lengths.dim(0) < 0 || scores.dim(1) == lengths.dim(0),
                    INVALID_ARGUMENT,
                    "len(sequence_length) != batch_size.  len(sequence_length): %d batch_size: %d",
                    lengths.dim(0),
                    scores.dim(1));
    }

    /** Scores of input 0 and lengths of input {@code i}. */
    static CtcInputs of(KernelContext c, int i) {
        Tensor x = c.input(0), lengths = c.input(i);
        check(x.shape(), lengths.shape());
        int times = Counts.toInt(x.shape().dim(0)),
                batch = Counts.toInt(x.shape().dim(1));
        int classes = Counts.toInt(x.shape().dim(2));
        require(batch > 0, INVALID_ARGUMENT, "batch_size must not be 0");
        require(classes > 0, INVALID_ARGUMENT, "num_classes must not be 0");
        int[] all = new int[batch];
        for (int b = 0; b < batch; b++) {
            all[b] = (int) lengths.getLong(b);
            require(
                    all[b] >= 0 && all[b] <= times,
                    INVALID_ARGUMENT,
                    "sequence_length(%d) <= %d, and not negative: got %d",
                    b,
                    times,
                    all[b]);
        }
        return new CtcInputs(x, times, batch, classes, all);
    }

    double score(int time, int row, int type) {
        return scores.getDouble(((long) time * batch + row) * classes + type);
    }

    /** The logarithm of the sum of exponentials of all scores of a time: what makes probabilities of them. */
    double norm(int time, int row) {
        double most = Double.NEGATIVE_INFINITY, sum = 0;
        for (int k = 0; k < classes; k++) most = Math.max(most, score(time, row, k));
        for (int k = 0; k < classes; k++) sum += Math.exp(score(time, row, k) - most);
        return most + Math.log(sum);
    }

    /** {@code log(exp(a) + exp(b))}. */
    static double plus(double a, double b) {
        if (a == Double.NEGATIVE_INFINITY) return b;
        if (b == Double.NEGATIVE_INFINITY) return a;
        return a > b ? a + Math.log1p(Math.exp(b - a)) : b + Math.log1p(Math.exp(a - b));
    }
}
