package dev.oxbow.cuda;

import java.util.List;

/** Finds the fastest of several ways to compute the same, on the card itself. */
final class Trials {

    /*
     * A way is tried once by itself; one that takes much longer than the best so far is given up then. The others are put into
     * a graph some times over: small ones take the card less time than the host needs to ask for them one by one. A card that was idle
     * has slow clocks, by which the first ways would look worse than they are, so it is kept busy for a while before.
     */

    /** Whether to try at all: where results must not depend on how fast something was, -Doxbow.cuda.measure=false. */
    static final boolean WANTED = !System.getProperty("oxbow.cuda.measure", "").equals("false");

    private static final int MOST = 8;

    /** Milliseconds that one measurement need not exceed. */
    private static final float ENOUGH = 2;

    /** How often entries are timed, of which the least counts: the host is slow at first. */
    private static final int ROUNDS = 3;

    private static final long IDLE_NANOS = 50_000_000;
    private static final long WARM_NANOS = 20_000_000;

    /** When the last trial ended. */
    private static volatile long last = System.nanoTime() - IDLE_NANOS;

    /** A way to compute something. */
    @FunctionalInterface
    interface Way {
        /** Puts it into a stream; anything but 0 where it can not be done this way. */
        int issue(long stream);
    }

    private Trials() {}

    /** The number of the fastest way, -1 where none can be done, and its milliseconds. */
    record Best(int way, float milliseconds) {}

    /** The fastest way. Only outside of entries. */
    static Best fastest(Card card, List<Way> ways) {
        long stream = card.commands.stream(), from = Driver.event(true), to = Driver.event(true);
        int best = -1;
        float least = Float.MAX_VALUE;
        if (!ways.isEmpty()) warm(ways.getFirst(), stream);
        for (int i = 0; i < ways.size(); i++) {
            Way way = ways.get(i);
            if (way.issue(stream) != 0) continue;
            Driver.record(from, stream);
            if (way.issue(stream) != 0) continue;
            float once = measured(from, to, stream);
            if (once > 4 * least + 0.05f) continue;
            int times = (int) Math.clamp(ENOUGH / Math.max(once, 1e-3f), 1, MOST);
            float time = times == 1 ? once : repeated(card, way, times, from, to) / times;
            if (time < least) {
                least = time;
                best = i;
            }
        }
        last = System.nanoTime();
        return new Best(best, least);
    }

    private static void warm(Way way, long stream) {
        long start = System.nanoTime();
        if (start - last < IDLE_NANOS) return;
        while (System.nanoTime() - start < WARM_NANOS) {
            for (int i = 0; i < MOST; i++) if (way.issue(stream) != 0) return;
            Driver.synchronize(stream);
        }
    }

    /** Milliseconds of entries that are given one by one. */
    static float time(Card card, Runnable entries) {
        long stream = card.commands.stream(), from = Driver.event(true), to = Driver.event(true);
        float[] time = new float[1];
        entries.run(); // chooses algorithms
        float least = Float.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            card.commands.outside(() -> Driver.record(from, stream));
            for (int i = 0; i < MOST; i++) entries.run();
            card.commands.outside(() -> time[0] = measured(from, to, stream));
            least = Math.min(least, time[0] / MOST);
        }
        last = System.nanoTime();
        return least;
    }

    private static float measured(long from, long to, long stream) {
        Driver.record(to, stream);
        Driver.await(to);
        return Driver.milliseconds(from, to);
    }

    private static float repeated(Card card, Way way, int times, long from, long to) {
        long stream = card.commands.stream(), noting = card.commands.capturing();
        Driver.beginCapture(noting);
        for (int t = 0; t < times; t++) way.issue(noting);
        long trials = Driver.endCapture(noting);
        float time = 0;
        for (int t = 0; t < 2; t++) { // the first one warms caches
            Driver.record(from, stream);
            Driver.launchGraph(trials, stream);
            time = measured(from, to, stream);
        }
        Driver.destroyExecutable(trials);
        return time;
    }
}
