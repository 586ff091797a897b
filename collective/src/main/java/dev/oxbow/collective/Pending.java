package dev.oxbow.collective;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The handle of a collective that ends later. Thread-safe. */
public class Pending {
    private final Communicator communicator;
    private final CountDownLatch ended = new CountDownLatch(1);
    private List<Consumer<OxbowException>> callbacks;
    private volatile boolean done;
    private OxbowException error;

    /** What cancels it, set when it begins. */
    Consumer<String> cancellation;

    Pending(Communicator communicator) {
        this.communicator = communicator;
    }

    /** Whether it has ended, well or not. */
    public final boolean isDone() {
        return done;
    }

    /** Why it failed; {@code null} while it runs and when it ended well. */
    public final OxbowException error() {
        return done ? error : null;
    }

    /** Waits for the end and throws the error, if there is one. Every collective has a deadline, and so has this wait. */
    public final void await() {
        communicator.await(this, Long.MAX_VALUE);
        throwError();
    }

    /** Waits at most so long; whether it has ended. Throws the error, if there is one. */
    public final boolean await(Duration timeout) {
        communicator.await(this, timeout.toNanos());
        if (done) throwError();
        return done;
    }

    private void throwError() {
        if (error != null) throw error.rethrown();
    }

    /** Calls back with the error or {@code null} once it has ended, on a thread that must not be held up. */
    public final void whenDone(Consumer<OxbowException> callback) {
        synchronized (this) {
            if (!done) {
                if (callbacks == null) callbacks = new ArrayList<>(1);
                callbacks.add(callback);
                return;
            }
        }
        callback.accept(error);
    }

    /** Ends it with {@code CANCELLED} on every rank, unless it has ended; its group can not be used any more. */
    public final void cancel(String why) {
        communicator.submit(() -> {
            if (!done && cancellation != null) cancellation.accept(why);
        });
    }

    final void end(OxbowException failure) {
        List<Consumer<OxbowException>> called;
        synchronized (this) {
            if (done) return;
            error = failure;
            done = true;
            called = callbacks;
            callbacks = null;
        }
        ended.countDown();
        if (called != null) for (Consumer<OxbowException> c : called) communicator.later(() -> c.accept(failure));
    }

    /** Sleeps until the end, or about so long. */
    final void sleep(long nanos) {
        try {
            ended.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(ErrorCode.CANCELLED, "interrupted while waiting for a collective", e);
        }
    }
}
