package dev.oxbow.cluster.rpc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/** How many there are of something now, for whoever looks or waits. */
public final class Gauge {
    private int value;

    public synchronized void add(int more) {
        value += more;
        notifyAll();
    }

    public synchronized int value() {
        return value;
    }

    /** Whether the number was so before the time was over. */
    public synchronized boolean await(IntPredicate wanted, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        while (!wanted.test(value)) {
            long left = end - System.nanoTime();
            if (left <= 0) break;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        return wanted.test(value);
    }
}
