package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;

/**
 * A figure over many examples. What a batch contributes is a vector of f64 that adds up over examples, batches and
 * workers, so that the figure of all is right however they were split; the figure itself is made of the sums at the end.
 */
public interface Metric {

    String name();

    /** What these examples add to the totals: an f64 vector. */
    Value sums(Value prediction, Value target);

    /** The figure, from the totals of all examples. */
    double result(double[] totals);
}
