package dev.oxbow.runtime;

import dev.oxbow.graph.Progress;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that called a run. While the step waits for asynchronous ops it takes the regions that go on, one at a time,
 * and lends itself to a service that makes such ops move; what comes while it is busy goes to the pool.
 */
final class Caller implements Executor {

    /*
     * A pool of n threads counts on the caller as one of them, and waking a thread of the pool costs tens of microseconds.
     * So a region goes on here when it can: an all-reduce that this thread has moved itself ends in its own hands.
     */

    private static final Runnable BUSY = () -> {};
    private static final Runnable IDLE = () -> {};
    private static final long SPIN = 20_000;
    /** How late an interrupt may be noticed. */
    private static final long LONGEST_LOAN = 10_000_000;

    private final Executor pool;
    private final Progress service;
    private final Thread thread = Thread.currentThread();
    /** {@link #BUSY}, {@link #IDLE} or what is to be run next. */
    private final AtomicReference<Runnable> hands = new AtomicReference<>(BUSY);

    private volatile boolean ended;

    /** The current thread; {@code service} may be null. */
    Caller(Executor pool, Progress service) {
        this.pool = pool;
        this.service = service;
    }

    @Override
    public void execute(Runnable task) {
        if (hands.get() == IDLE && hands.compareAndSet(IDLE, task)) wakeUp();
        else pool.execute(task);
    }

    /** The step has ended. */
    void end() {
        ended = true;
        wakeUp();
    }

    private void wakeUp() {
        if (Thread.currentThread() == thread) return;
        LockSupport.unpark(thread);
        if (service != null) service.wakeUp();
    }

    /** Works until the step has ended or the time is over; whether it has ended. */
    boolean await(long nanos) throws InterruptedException {
        if (ended) return true;
        hands.compareAndSet(BUSY, IDLE);
        long start = System.nanoTime(), idle = start;
        boolean lends = service != null;
        while (true) {
            Runnable task = hands.get();
            if (task != IDLE) {
                hands.set(BUSY);
                task.run();
                hands.set(IDLE);
                idle = System.nanoTime();
                continue;
            }
            if (ended) return true;
            if (Thread.interrupted()) throw new InterruptedException();
            long now = System.nanoTime(), left = nanos - (now - start);
            if (left <= 0) return false;
            if (lends) lends = lend(left);
            else if (now - idle < SPIN) Thread.onSpinWait();
            else LockSupport.parkNanos(this, left);
        }
    }

    /** False when the service has failed: its ops then end with its error, and so does the step, which is still to be awaited. */
    private boolean lend(long nanos) {
        try {
            service.work(this::isWanted, Math.min(nanos, LONGEST_LOAN));
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private boolean isWanted() {
        return ended || hands.get() != IDLE;
    }
}
