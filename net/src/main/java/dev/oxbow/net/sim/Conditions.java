package dev.oxbow.net.sim;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;

/**
 * What a simulated wire does to datagrams.
 *
 * @param delay how long one is under way
 * @param bytesPerSecond how fast they leave one after the other; infinity for no limit
 * @param loss the share that never arrives
 * @param duplication the share that arrives twice
 * @param reordering the share that is held up, so that later ones overtake it
 * @param holdUp for how long at most
 */
public record Conditions(
        Delay delay, double bytesPerSecond, double loss, double duplication, double reordering, Duration holdUp) {

    /** A good network: 20 to 50 microseconds, 10 Gbit/s, nothing goes wrong. */
    public static final Conditions GOOD = new Conditions(
            Delay.uniform(Duration.ofNanos(20_000), Duration.ofNanos(50_000)), 1.25e9, 0, 0, 0, Duration.ofMillis(1));

    public Conditions {
        require(
                isShare(loss) && loss < 1 && isShare(duplication) && isShare(reordering),
                INVALID_ARGUMENT,
                "Conditions: loss below 1, duplication and reordering are shares, got %s, %s and %s",
                loss,
                duplication,
                reordering);
        require(
                bytesPerSecond > 0 && !holdUp.isNegative(),
                INVALID_ARGUMENT,
                "Conditions: needs a positive speed and a hold-up that is not negative, got %s and %s",
                bytesPerSecond,
                holdUp);
    }

    private static boolean isShare(double x) {
        return x >= 0 && x <= 1;
    }

    public Conditions withDelay(Delay delay) {
        return new Conditions(delay, bytesPerSecond, loss, duplication, reordering, holdUp);
    }

    public Conditions withBytesPerSecond(double bytesPerSecond) {
        return new Conditions(delay, bytesPerSecond, loss, duplication, reordering, holdUp);
    }

    public Conditions withLoss(double loss) {
        return new Conditions(delay, bytesPerSecond, loss, duplication, reordering, holdUp);
    }

    public Conditions withDuplication(double duplication) {
        return new Conditions(delay, bytesPerSecond, loss, duplication, reordering, holdUp);
    }

    public Conditions withReordering(double reordering, Duration holdUp) {
        return new Conditions(delay, bytesPerSecond, loss, duplication, reordering, holdUp);
    }
}
