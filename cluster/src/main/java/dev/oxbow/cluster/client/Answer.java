package dev.oxbow.cluster.client;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** The answer to one call, for the thread that waits for it. */
final class Answer<A> implements BiConsumer<A, OxbowException>, AutoCloseable {
    /** Longer than a small step takes there and back: then sleeping and waking up would cost as much. */
    private static final long SPIN_NANOS = 20_000;

    private final Thread thread = Thread.currentThread();
    private final Cancellation cancellation = new Cancellation();
    private final Cancellation given;
    private final long link;
    private A answer;
    private OxbowException error;
    private volatile boolean done;

    /** Given up with another token, which may be null: where that is cancelled already, the call is not made. */
    Answer(Cancellation given) {
        this.given = given;
        this.link = given == null ? -1 : given.register(cancellation::cancel);
        if (given != null && link < 0) cancellation.cancel(given.reason());
    }

    /** Cancelled when the thread does not want to wait any longer. */
    Cancellation cancellation() {
        return cancellation;
    }

    @Override
    public void accept(A a, OxbowException e) {
        answer = a;
        error = e;
        done = true;
        LockSupport.unpark(thread);
    }

    /**
     * Waits for the answer, at most so long, or without a limit where that is null; gives up when interrupted or cancelled.
     * Every {@code often} nanoseconds of that it has {@code look} see whether there is somebody to wait for.
     */
    A await(Duration limit, Runnable look, long often) {
        boolean interrupted = false;
        long start = System.nanoTime(), looked = start;
        while (!done) {
            long now = System.nanoTime();
            if (Thread.interrupted()) {
                interrupted = true;
                cancellation.cancel(CANCELLED, "Session: the calling thread was interrupted");
            }
            long left = limit == null ? Long.MAX_VALUE : limit.toNanos() - (now - start);
            if (left <= 0 && !cancellation.isCancelled()) {
                cancellation.cancel(DEADLINE_EXCEEDED, "Session: no answer came within " + limit.toMillis() + " ms");
                continue;
            }
            if (now - start < SPIN_NANOS) Thread.onSpinWait();
            else LockSupport.parkNanos(this, left <= 0 ? often : Math.min(left, often));
            if (System.nanoTime() - looked >= often) {
                looked = System.nanoTime();
                look.run();
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        if (error == null) return answer;
        throw (cancellation.isCancelled() ? cancellation.reason() : error).rethrown();
    }

    @Override
    public void close() {
        if (given != null) given.unregister(link);
    }
}
