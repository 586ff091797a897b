package dev.oxbow.train.loss;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/** Losses by name. Where nothing else is said, predictions are logits, from which a loss is precise, not probabilities. */
public final class Losses {
    private Losses() {}

    /** For classes as numbers: i32 targets beside logits of one more axis. */
    public static Loss sparseCrossEntropy() {
        return new SparseCrossEntropy(0);
    }

    /** For classes as numbers, of which each is believed with probability {@code 1 - smoothing} only. */
    public static Loss sparseCrossEntropy(double smoothing) {
        return new SparseCrossEntropy(share(smoothing));
    }

    /** For distributions over classes, such as one-hot rows. */
    public static Loss crossEntropy() {
        return new CrossEntropy(0);
    }

    /** For distributions over classes, mixed with the uniform one. */
    public static Loss crossEntropy(double smoothing) {
        return new CrossEntropy(share(smoothing));
    }

    /** For distributions over classes beside predictions that are probabilities already. */
    public static Loss crossEntropyOfProbabilities() {
        return new Probabilities();
    }

    /** For answers between 0, no, and 1, yes. */
    public static Loss binaryCrossEntropy() {
        return new BinaryCrossEntropy();
    }

    /** For answers between 0 and 1 beside predictions that are probabilities already. */
    public static Loss binaryCrossEntropyOfProbabilities() {
        return new BinaryProbabilities();
    }

    public static Loss squaredError() {
        return new SquaredError();
    }

    public static Loss absoluteError() {
        return new AbsoluteError();
    }

    /** Squared up to an error of {@code delta}, absolute beyond. */
    public static Loss huber(double delta) {
        require(delta > 0, INVALID_ARGUMENT, "Losses: delta must be positive, got %s", delta);
        return new Huber(delta);
    }

    /** For targets of -1 and 1. */
    public static Loss hinge() {
        return new Hinge();
    }

    /** How far the distribution of logits is from the target's. */
    public static Loss kullbackLeibler() {
        return new KullbackLeibler();
    }

    private static double share(double smoothing) {
        require(
                smoothing >= 0 && smoothing < 1,
                INVALID_ARGUMENT,
                "Losses: smoothing must be in [0, 1), got %s",
                smoothing);
        return smoothing;
    }
}
