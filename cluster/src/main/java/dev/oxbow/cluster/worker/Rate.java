package dev.oxbow.cluster.worker;

/** How often something happened, and how often a second lately. */
final class Rate {
    /** Whole seconds that "lately" means. */
    private static final int SECONDS = 10;

    private static final long SECOND = 1_000_000_000;

    private final long[] counts = new long[SECONDS + 1];
    private long newest;
    private long total;

    /** It has happened once more, at a time of {@link System#nanoTime}. */
    synchronized void count(long now) {
        turn(now);
        counts[index(newest)]++;
        total++;
    }

    private void turn(long now) {
        long second = Math.floorDiv(now, SECOND);
        if (total == 0) newest = second;
        for (; newest < second; newest++) {
            if (second - newest > counts.length) newest = second - counts.length;
            counts[index(newest + 1)] = 0;
        }
    }

    private int index(long second) {
        return (int) Math.floorMod(second, (long) counts.length);
    }

    synchronized long total() {
        return total;
    }

    /** Of the last whole seconds. */
    synchronized double aSecond(long now) {
        turn(now);
        long sum = 0;
        for (int i = 1; i <= SECONDS; i++) sum += counts[index(newest - i)];
        return sum / (double) SECONDS;
    }
}
