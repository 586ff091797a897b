package dev.oxbow.net;

/** Which of two ways to move bytes is taken: the one that was faster when both were last tried. For one thread at a time. */
public final class Contest {

    /*
     * What is faster depends on the processor and on the caches that the cores of the ranks share, and a virtual machine
     * may be moved to other cores at any time. So the slower way is tried again now and then.
     */

    /** Of so many times one is a trial of the way that was slower. */
    private static final int TRIAL = 128;

    /** What took so many times as long as usual was interrupted. */
    private static final double INTERRUPTED = 4;

    private static final double WEIGHT = 1.0 / 4;

    private final double margin;
    /** Nanoseconds that a byte takes. */
    private double first;

    private double second;
    private int times;

    /** The second way is taken when it is faster by the factor {@code margin}. */
    public Contest(double margin) {
        this.margin = margin;
    }

    /** Whether to take the second way this time; the very first time it is. */
    public boolean takesSecond() {
        boolean isTrial = times++ % TRIAL == 0;
        return second * margin < first != isTrial;
    }

    /** Says how long a way has taken. */
    public void took(boolean isSecond, long bytes, long nanos) {
        double time = nanos / (double) bytes;
        if (isSecond) second = blend(second, time);
        else first = blend(first, time);
    }

    private static double blend(double usual, double latest) {
        return usual == 0 ? latest : usual + (Math.min(latest, INTERRUPTED * usual) - usual) * WEIGHT;
    }
}
