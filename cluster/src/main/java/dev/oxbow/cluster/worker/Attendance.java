package dev.oxbow.cluster.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts who is inside, for whoever waits until nobody is. */
final class Attendance {
    private int inside;

    synchronized void enter() {
        inside++;
    }

    synchronized void leave() {
        if (--inside == 0) notifyAll();
    }

    /** Whether nobody was inside before the time was over. */
    synchronized boolean await(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        while (inside > 0) {
            long left = end - System.nanoTime();
            if (left <= 0) break;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        return inside == 0;
    }
}
