package dev.oxbow.cli;

/** The loss of a training is no finite number, so that going on is in vain. */
final class LossException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private LossException(String message) {
        super(message);
    }

    /** The loss, if it is a finite number. */
    static float check(float loss, int epoch) {
        if (Float.isFinite(loss)) return loss;
        throw new LossException("train: the loss is %s in epoch %d".formatted(loss, epoch));
    }
}
