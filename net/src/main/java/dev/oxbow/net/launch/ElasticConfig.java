package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;

/**
 * How a job deals with workers that come and go.
 *
 * @param min with fewer workers it waits
 * @param max more are not taken in
 * @param timeout how long it waits for workers where there are too few
 * @param settle how long workers of a broken generation may take to say so; who does not is lost, and killed
 * @param pause how long a generation goes on at least before others are let in
 * @param backoff after how long a worker that failed is started again; twice as long each time it fails again
 * @param strikes a place whose workers failed so often in a row, without a generation that lasted, gets no more of them
 * @param resets after so many generations that were broken by a loss the job gives up
 */
public record ElasticConfig(
        int min,
        int max,
        Duration timeout,
        Duration settle,
        Duration pause,
        Duration backoff,
        int strikes,
        int resets) {
    private static final int MOST = 1024;

    public ElasticConfig {
        require(
                min >= 1 && min <= max && max <= MOST,
                INVALID_ARGUMENT,
                "elastic: a job has MIN:MAX workers with 1 <= MIN <= MAX <= %d, got %d:%d",
                MOST,
                min,
                max);
        require(
                timeout.isPositive() && settle.isPositive() && !pause.isNegative() && !backoff.isNegative(),
                INVALID_ARGUMENT,
                "elastic: times must be positive, got %s, %s, %s and %s",
                timeout,
                settle,
                pause,
                backoff);
        require(
                strikes >= 1 && resets >= 0,
                INVALID_ARGUMENT,
                "elastic: needs a strike at least and no negative number of resets, got %d and %d",
                strikes,
                resets);
    }

    /** Waits of a minute for workers and of 15 s for those that do not answer; three strikes, 100 resets. */
    public static ElasticConfig of(int min, int max) {
        return new ElasticConfig(
                min,
                max,
                Duration.ofSeconds(60),
                Duration.ofSeconds(15),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                3,
                100);
    }

    public ElasticConfig withTimeout(Duration timeout) {
        return new ElasticConfig(min, max, timeout, settle, pause, backoff, strikes, resets);
    }

    public ElasticConfig withSettle(Duration settle) {
        return new ElasticConfig(min, max, timeout, settle, pause, backoff, strikes, resets);
    }

    public ElasticConfig withPause(Duration pause) {
        return new ElasticConfig(min, max, timeout, settle, pause, backoff, strikes, resets);
    }

    public ElasticConfig withBackoff(Duration backoff, int strikes) {
        return new ElasticConfig(min, max, timeout, settle, pause, backoff, strikes, resets);
    }

    public ElasticConfig withResets(int resets) {
        return new ElasticConfig(min, max, timeout, settle, pause, backoff, strikes, resets);
    }
}
