package dev.oxbow.ops.queue;

import java.util.concurrent.atomic.AtomicInteger;

/** Something done again whenever that is asked for, by itself or by others, one time after the other; the stack does not grow. */
public final class Again {
    private final AtomicInteger wanted = new AtomicInteger();
    private final Runnable step;

    public Again(Runnable step) {
        this.step = step;
    }

    /** Has it done once more: now, or by whoever is doing it. */
    public void run() {
        if (wanted.getAndIncrement() > 0) return;
        do step.run();
        while (wanted.decrementAndGet() > 0);
    }
}
