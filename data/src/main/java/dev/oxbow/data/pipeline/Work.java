package dev.oxbow.data.pipeline;

import java.util.concurrent.atomic.LongAdder;

/** How often a stage did something and how long that took, over all threads and epochs. */
public final class Work {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    void add(long times, long time) {
        count.add(times);
        nanos.add(time);
    }

    public long count() {
        return count.sum();
    }

    public long nanos() {
        return nanos.sum();
    }
}
