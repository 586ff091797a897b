package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/**
 * Softmax and its losses over rows: the last dimension, for floating types. Inputs and outputs may be the same
 * memory.
 */
public final class Softmax {
    private Softmax() {}

    /** {@code y = exp(x - max) / sum(exp(x - max))}. */
    public static void run(Tensor x, Tensor y, Parallel parallel) {
        rows(x, parallel, (at, n) -> {
            double max = max(x, at, n), sum = 0;
            for (long i = at; i < at + n; i++) sum += Math.exp(x.getDouble(i) - max);
            for (long i = at; i < at + n; i++) y.set(i, Math.exp(x.getDouble(i) - max) / sum);
        });
    }

    /** {@code y = x - max - log(sum(exp(x - max)))}. */
    public static void log(Tensor x, Tensor y, Parallel parallel) {
        rows(x, parallel, (at, n) -> {
            double max = max(x, at, n), log = Math.log(sumOfExponentials(x, at, n, max));
            for (long i = at; i < at + n; i++) y.set(i, x.getDouble(i) - max - log);
        });
    }

    /**
     * {@code loss = sum(labels * (log(sum(exp(x - max))) - (x - max)))} and its gradient to the logits,
     * {@code softmax(x) - labels}. Labels and logits are rows of {@code dx}'s shape, or one row repeated for all.
     */
    public static void crossEntropy(Tensor logits, Tensor labels, Tensor loss, Tensor dx, Parallel parallel) {
        long n = dx.shape().dim(-1);
        if (n == 0) Memory.zero(loss.address(), loss.byteSize());
        long logitStep = step(logits, dx), labelStep = step(labels, dx);
        long logitRow = logits.shape().dim(-1) == 1 && n != 1 ? 0 : 1,
                labelRow = labels.shape().dim(-1) == 1 && n != 1 ? 0 : 1;
        rows(dx, parallel, (at, m) -> {
            long x = at / n * logitStep, l = at / n * labelStep;
            double max = Double.NEGATIVE_INFINITY, sum = 0, total = 0;
            for (long i = 0; i < n; i++) max = Math.max(max, logits.getDouble(x + i * logitRow));
            for (long i = 0; i < n; i++) sum += Math.exp(logits.getDouble(x + i * logitRow) - max);
            double log = Math.log(sum);
            for (long i = 0; i < n; i++) {
                double label = labels.getDouble(l + i * labelRow), centred = logits.getDouble(x + i * logitRow) - max;
                // A label of 0 contributes nothing even where the logit is -inf.
                if (label != 0) total += label * (log - centred);
                dx.set(at + i, Math.exp(centred) / sum - label);
            }
            loss.set(at / n, total);
        });
    }

    private static long step(Tensor t, Tensor whole) {
        return t.shape().dim(0) == 1 && whole.shape().dim(0) != 1
                ? 0
                : t.shape().dim(-1);
    }

    /** The same for one class per row; a label outside [0, classes) is an error. */
    public static void sparseCrossEntropy(Tensor logits, Tensor labels, Tensor loss, Tensor dx, Parallel parallel) {
        long classes = logits.shape().dim(-1);
        for (long r = 0; r < labels.size(); r++) {
            long label = labels.getLong(r);
            if (label >= 0 && label < classes) continue;
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Received a label value of %d which is outside the valid range of [0, %d). labels[%d]"
                            .formatted(label, classes, r));
        }
        rows(logits, parallel, (at, n) -> {
            long row = at / n, label = labels.getLong(row);
            double max = max(logits, at, n), sum = sumOfExponentials(logits, at, n, max);
            loss.set(row, Math.log(sum) - (logits.getDouble(at + label) - max));
            for (long i = 0; i < n; i++)
                dx.set(at + i, Math.exp(logits.getDouble(at + i) - max) / sum - (i == label ? 1 : 0));
        });
    }

    private static double max(Tensor x, long at, long n) {
        double max = Double.NEGATIVE_INFINITY;
        for (long i = at; i < at + n; i++) max = Math.max(max, x.getDouble(i));
        return max;
    }

    private static double sumOfExponentials(Tensor x, long at, long n, double max) {
        double sum = 0;
        for (long i = at; i < at + n; i++) sum += Math.exp(x.getDouble(i) - max);
        return sum;
    }

    private interface Row {
        void run(long at, long n);
    }

    private static void rows(Tensor x, Parallel parallel, Row row) {
        long n = x.shape().dim(-1);
        if (x.size() == 0) return;
        parallel.run(x.size() / n, Math.max(1, (1 << 11) / n), (from, to) -> {
            for (long r = from; r < to; r++) row.run(r * n, n);
        });
    }
}
