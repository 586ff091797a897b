package dev.oxbow.train.loss;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.function.DoubleUnaryOperator;

/** Metrics by name. Where nothing else is said, predictions are logits. */
public final class Metrics {
    private static final int THRESHOLDS = 200;

    private Metrics() {}

    /** For classes as numbers or one-hot rows. */
    public static Metric accuracy() {
        return new Accuracy();
    }

    /** The share of examples whose right class is among the {@code k} greatest predictions. */
    public static Metric topK(int k) {
        require(k > 0, INVALID_ARGUMENT, "Metrics: k must be positive, got %d", k);
        return new TopK(k);
    }

    /** How often which of so many classes was taken for which; {@code Trainer.totals} gives the matrix by rows. */
    public static Metric confusionMatrix(int classes) {
        return new ConfusionMatrix(classes);
    }

    /** The share of right answers yes and no. */
    public static Metric binaryAccuracy() {
        return binaryAccuracy(0);
    }

    /** The share of right answers, where a prediction above the threshold is a yes. */
    public static Metric binaryAccuracy(double threshold) {
        return new BinaryCounts("accuracy", threshold, n -> (n[0] + n[3]) / (n[0] + n[1] + n[2] + n[3]));
    }

    /** The share of positives among what a prediction above the threshold calls so; 0 for logits. */
    public static Metric precision(double threshold) {
        return new BinaryCounts("precision", threshold, n -> n[0] / (n[0] + n[1]));
    }

    /** The share of positives that have a prediction above the threshold. */
    public static Metric recall(double threshold) {
        return new BinaryCounts("recall", threshold, n -> n[0] / (n[0] + n[2]));
    }

    /** The harmonic mean of precision and recall. */
    public static Metric f1(double threshold) {
        return new BinaryCounts("f1", threshold, n -> 2 * n[0] / (2 * n[0] + n[1] + n[2]));
    }

    /** How likely a positive example is above a negative one. */
    public static Metric auc() {
        return new AreaUnderCurve(THRESHOLDS, true);
    }

    /** {@link #auc} of predictions that are probabilities already. */
    public static Metric aucOfProbabilities() {
        return new AreaUnderCurve(THRESHOLDS, false);
    }

    /** The exponential of the cross entropy, for classes as numbers. */
    public static Metric perplexity() {
        return mean("perplexity", Losses.sparseCrossEntropy(), Math::exp);
    }

    public static Metric squaredError() {
        return mean("squared error", Losses.squaredError(), DoubleUnaryOperator.identity());
    }

    public static Metric absoluteError() {
        return mean("absolute error", Losses.absoluteError(), DoubleUnaryOperator.identity());
    }

    /** A function of the mean of any loss. */
    public static Metric mean(String name, Loss loss, DoubleUnaryOperator figure) {
        return new MeanOfLoss(name, loss, figure);
    }
}
