package dev.oxbow.cluster.worker;

/**
 * How the clock of a task differs from the own one, as one that was asked for its time several times knows it.
 *
 * @param offset how far it is ahead, in nanoseconds
 * @param error how wrong that may be: half of the time that the quickest answer took
 */
public record ClockReading(long offset, long error) {
    /** Of one process. */
    public static final ClockReading SAME = new ClockReading(0, 0);

    /** What an answer tells that came to a question: the time there is from some moment between the two. */
    static ClockReading of(long asked, long answered, long there) {
        long half = (answered - asked) / 2;
        return new ClockReading(there - (asked + half), half + 1);
    }

    /** The one that is surer. */
    ClockReading or(ClockReading other) {
        return other == null || error <= other.error ? this : other;
    }
}
