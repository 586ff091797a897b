package dev.oxbow.train.optimizer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Floor;
import java.util.List;

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

    /** {@link #cosine} again and again, each time over {@code longer} times as many steps as before (Loshchilov and Hutter, 2017). */
    static Schedule cosineRestarts(double rate, double end, long steps, double longer) {
        require(
                longer >= 1,
                INVALID_ARGUMENT,
                "Schedule: a period must not be shorter than the one before: %s",
                longer);
        return step -> {
            Value one = step.constantLike(1), periods = step.dividedBy(steps);
            Value share;
            if (longer == 1) share = periods.minus(floor(periods));
            else {
                Value passed = periods.times(longer - 1).plus(1).log().dividedBy(Math.log(longer));
                // The logarithm of a whole power may be less by a rounding, and a restart would come a step too late.
                Value whole = floor(passed.plus(1e-9)),
                        length = step.constantLike(longer).pow(whole);
                Value begin = length.minus(one).dividedBy(longer - 1);
                share = periods.minus(begin).dividedBy(length);
            }
            return share.times(Math.PI).cos().plus(1).times((rate - end) / 2).plus(end);
        };
    }

    /** {@code rate * factor^(step / steps)}. */
    static Schedule exponential(double rate, double factor, long steps) {
        return step -> step.constantLike(factor).pow(step.dividedBy(steps)).times(rate);
    }

    /** {@code rate * factor^floor(step / steps)}: a stair. */
    static Schedule stairs(double rate, double factor, long steps) {
        return step ->
                step.constantLike(factor).pow(floor(step.dividedBy(steps))).times(rate);
    }

    /** From {@code rate} to {@code end} over so many steps: {@code end + (rate - end) (1 - step / steps)^power}. */
    static Schedule polynomial(double rate, double end, long steps, double power) {
        return step -> {
            Value left = step.constantLike(1).minus(step.dividedBy(steps)).maximum(step.constantLike(0));
            return left.pow(step.constantLike(power)).times(rate - end).plus(end);
        };
    }

    /** {@code rates[i]} from step {@code boundaries[i - 1]} on, and {@code rates[0]} before all of them. */
    static Schedule piecewise(List<Long> boundaries, List<Double> rates) {
        require(
                rates.size() == boundaries.size() + 1,
                INVALID_ARGUMENT,
                "Schedule: %d boundaries need one rate more, got %d",
                boundaries.size(),
                rates.size());
        return step -> {
            Value rate = step.constantLike(rates.getFirst());
            for (int i = 0; i < boundaries.size(); i++)
                rate = Value.where(
                        step.greaterEqual(step.constantLike(boundaries.get(i))),
                        step.constantLike(rates.get(i + 1)),
                        rate);
            return rate;
        };
    }

    /** {@code rate * sqrt(steps / step)} behind {@code steps} steps, and {@code rate} until then. */
    static Schedule inverseSquareRoot(double rate, long steps) {
        return step ->
                step.maximum(step.constantLike(steps)).dividedBy(steps).rsqrt().times(rate);
    }

    private static Value floor(Value x) {
        return Value.apply(new Floor(), x);
    }

    /** Rises in a line from 0 to where {@code then} begins, over so many steps; {@code then} counts from there. */
    static Schedule warmup(long steps, Schedule then) {
        return step -> {
            Value later = then.at(step.minus(steps).maximum(step.constantLike(0)));
            return later.times(step.plus(1).dividedBy(steps).minimum(step.constantLike(1)));
        };
    }
}
