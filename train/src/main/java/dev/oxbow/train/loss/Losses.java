package dev.oxbow.train.loss;

/** Losses by name. */
public final class Losses {
    private Losses() {}

    /** For classes as numbers: i32 targets beside logits of one more axis. */
    public static Loss sparseCrossEntropy() {
        return new SparseCrossEntropy();
    }

    public static Loss squaredError() {
        return new SquaredError();
    }
}
