package dev.oxbow.train.loss;

/** Metrics by name. */
public final class Metrics {
    private Metrics() {}

    /** For classes as numbers. */
    public static Metric accuracy() {
        return new Accuracy();
    }
}
