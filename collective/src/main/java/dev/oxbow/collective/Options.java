package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.cost.Method;
import java.time.Duration;

/**
 * How one collective is to be done.
 *
 * @param name ranks match calls by it, in any order; calls without one ({@code null}) are matched in order. A group keeps
 *     count of its names, so they are for calls that come again
 * @param deadline or {@code null} for the communicator's
 * @param wire how values are written on the wire
 * @param algorithm the name of the one to use, {@code push-pull:K} where the last K ranks have no values, want no result
 *     and help, {@code cards} for what lies on cards, or {@code null} for the cheapest
 * @param deterministic whether the result must not depend on timing, and a sum be the serial one in rank order
 * @param priority calls with higher ones send first
 */
public record Options(
        String name, Duration deadline, WireFormat wire, String algorithm, boolean deterministic, int priority) {
    private static final String PUSH_PULL = "push-pull:";

    public static final Options DEFAULT = new Options(null, null, WireFormat.NONE, null, false, 0);

    public Options {
        require(
                deadline == null || deadline.isPositive(),
                INVALID_ARGUMENT,
                "Options: deadline must be positive, got %s",
                deadline);
        require(
                name == null || !name.isEmpty() && name.length() <= 500,
                INVALID_ARGUMENT,
                "Options: a name has 1 to 500 characters, got '%s'",
                name);
        if (algorithm != null && !algorithm.equals(Cards.NAME) && helpers(algorithm) < 0) Method.named(algorithm);
    }

    /** How many of the last ranks help in an algorithm such as {@code push-pull:2}; -1 for any other. */
    static int helpers(String algorithm) {
        String number = algorithm.startsWith(PUSH_PULL) ? algorithm.substring(PUSH_PULL.length()) : "";
        return number.matches("\\d{1,6}") ? Integer.parseInt(number) : -1;
    }

    public static Options named(String name) {
        return DEFAULT.withName(name);
    }

    public Options withName(String name) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }

    public Options withDeadline(Duration deadline) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }

    public Options withWire(WireFormat wire) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }

    public Options withAlgorithm(String algorithm) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }

    public Options withDeterministic(boolean deterministic) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }

    public Options withPriority(int priority) {
        return new Options(name, deadline, wire, algorithm, deterministic, priority);
    }
}
