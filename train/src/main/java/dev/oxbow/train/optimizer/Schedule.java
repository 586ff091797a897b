package dev.oxbow.train.optimizer;

import dev.oxbow.ops.Value;

/** The learning rate as a value of the graph, by the number of the step. */
@FunctionalInterface
public interface Schedule {

    /** The rate of step {@code step}, an f64 scalar counted from 0; an f64 scalar. */
    Value at(Value step);

    static Schedule constant(double rate) {
        return step -> step.constantLike(rate);
    }

    /** From {@code rate} down to {@code end} over so many steps, by half a wave of the cosine (Loshchilov and Hutter, 2017). */
    static Schedule cosine(double rate, double end, long steps) {
        return step -> {
            Value share = step.dividedBy(steps).minimum(step.constantLike(1));
            return share.times(Math.PI).cos().plus(1).times((rate - end) / 2).plus(end);
        };
    }

    /** Rises in a line from 0 to where {@code then} begins, over so many steps; {@code then} counts from there. */
    static Schedule warmup(long steps, Schedule then) {
        return step -> {
            Value later = then.at(step.minus(steps).maximum(step.constantLike(0)));
            return later.times(step.plus(1).dividedBy(steps).minimum(step.constantLike(1)));
        };
    }
}
