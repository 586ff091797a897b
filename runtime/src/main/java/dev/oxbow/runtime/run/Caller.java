package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Progress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that called a run, and until when it wants to wait. While the step waits for asynchronous ops it takes the
 * regions that go on, one at a time, and lends itself to a service that makes such ops move; what comes while it is busy goes
 * to the pool.
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
    /** A century: deadlines further away are none. */
    private static final long FOREVER = TimeUnit.DAYS.toNanos(36_500);

    final Cancellation cancellation;
    private final Executor pool;
    private final Progress service;
    private final Thread thread = Thread.currentThread();
    private final Duration timeout;
    private final long start;
    private final long limit;
    /** {@link #BUSY}, {@link #IDLE} or what is to be run next. */
    private final AtomicReference<Runnable> hands = new AtomicReference<>(BUSY);

    private volatile boolean ended;

    /** The current thread, from now until {@code timeout}, which may be null, as may {@code service}. */
    Caller(Executor pool, Progress service, Cancellation cancellation, Duration timeout) {
        this.pool = pool;
        this.service = service;
        this.cancellation = cancellation;
        this.timeout = timeout;
        this.limit = timeout == null ? FOREVER : Math.min(FOREVER, TimeUnit.NANOSECONDS.convert(timeout));
        this.start = limit == FOREVER ? 0 : System.nanoTime();
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

    /** Whether the run has a deadline that will have passed at this time. */
    boolean isLateAt(long time) {
        return limit < FOREVER && time - start > limit;
    }

    /** The nanoseconds that are left at this time; a long while for a run that has no deadline, or has been cancelled. */
    long left(long now) {
        return limit < FOREVER && !cancellation.isCancelled() ? limit - (now - start) : FOREVER;
    }

    /** Cancels the run if its time is over or its thread interrupted. */
    void look(long now) {
        if (left(now) <= 0)
            cancellation.cancel(DEADLINE_EXCEEDED, "Session: the run did not end within " + timeout.toMillis() + " ms");
        if (thread.isInterrupted()) cancellation.cancel(CANCELLED, "Session: the calling thread was interrupted");
    }

    /** Works until the step has ended, and has it end when its time is over or this thread interrupted. */
    void await() {
        if (ended) return;
        hands.compareAndSet(BUSY, IDLE);
        boolean interrupted = false;
        boolean lends = service != null;
        long idle = System.nanoTime();
        while (true) {
            Runnable task = hands.get();
            if (task != IDLE) {
                hands.set(BUSY);
                task.run();
                hands.set(IDLE);
                idle = System.nanoTime();
                continue;
            }
            if (ended) break;
            long now = System.nanoTime(), left = left(now);
            if (left <= 0 || thread.isInterrupted()) {
                look(now); // which may hand this thread something to do
                interrupted |= Thread.interrupted();
            } else if (lends) lends = lend(left);
            else if (now - idle < SPIN) Thread.onSpinWait();
            else LockSupport.parkNanos(this, left);
        }
        if (interrupted) thread.interrupt();
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
