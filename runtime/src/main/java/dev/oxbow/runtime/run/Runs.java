package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** The runs of a session that are under way. Its close ends them; one thread of the process watches those that have a caller. */
final class Runs {

    /*
     * Threads that compute look at no clock. The watching thread does it for all of them, every few milliseconds while a
     * session runs steps, and sleeps when none does. A run that begins wakes it only when it sleeps or would look too late, so
     * a step of a microsecond pays for the read of a field.
     */

    private static final long INTERVAL = 20_000_000;

    /** A session without runs is watched so many times more, since its next step may come soon. */
    private static final int PATIENCE = 50;

    private static final Set<Runs> WATCHED = ConcurrentHashMap.newKeySet();
    private static final Thread WATCH =
            Thread.ofPlatform().daemon().name("oxbow-watch").start(Runs::watch);

    /** The time of the next look, as System.nanoTime() has it. */
    private static volatile long nextLook;

    private final Set<Caller> callers = ConcurrentHashMap.newKeySet();

    /** Those that end by themselves: partial runs. */
    private final Set<Cancellation> others = ConcurrentHashMap.newKeySet();

    private final ConcurrentLinkedQueue<Thread> closing = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;
    private volatile boolean watched;
    private int idle;

    void begin(Caller c) {
        callers.add(c);
        if (closed) {
            end(c);
            requireOpen();
        }
        if (!watched) {
            watched = true;
            WATCHED.add(this);
            LockSupport.unpark(WATCH);
        } else if (c.isLateAt(nextLook)) LockSupport.unpark(WATCH);
    }

    void end(Caller c) {
        callers.remove(c);
        if (closed) closing.forEach(LockSupport::unpark);
    }

    void begin(Cancellation c) {
        others.add(c);
        if (closed) {
            end(c);
            requireOpen();
        }
    }

    void end(Cancellation c) {
        others.remove(c);
        if (closed) closing.forEach(LockSupport::unpark);
    }

    void requireOpen() {
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
    }

    /** Cancels all runs and waits for their end. */
    void close() {
        closed = true;
        closing.add(Thread.currentThread());
        callers.forEach(c -> c.cancellation.cancel(CANCELLED, "Session: it was closed"));
        others.forEach(c -> c.cancel(CANCELLED, "Session: it was closed"));
        boolean interrupted = false;
        while (!callers.isEmpty() || !others.isEmpty()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        closing.remove(Thread.currentThread());
        if (interrupted) Thread.currentThread().interrupt();
    }

    private static void watch() {
        while (true) {
            long now = System.nanoTime(), sleep = INTERVAL;
            for (Runs r : WATCHED) {
                try {
                    sleep = Math.min(sleep, r.look(now));
                } catch (RuntimeException e) { // of one who listens to a cancellation: the others are still watched
                    WATCH.getUncaughtExceptionHandler().uncaughtException(WATCH, e);
                }
            }
            nextLook = now + sleep;
            if (WATCHED.isEmpty()) LockSupport.park(WATCHED);
            else LockSupport.parkNanos(WATCHED, sleep);
        }
    }

    /** Ends runs that are late or whose caller was interrupted; the time until the next one is late. */
    private long look(long now) {
        long left = INTERVAL;
        for (Caller c : callers) {
            c.look(now);
            left = Math.min(left, c.left(now));
        }
        idle = callers.isEmpty() ? idle + 1 : 0;
        if (idle > PATIENCE) {
            idle = 0;
            WATCHED.remove(this);
            watched = false;
            if (!callers.isEmpty()) { // it began before it could see that nobody watches
                watched = true;
                WATCHED.add(this);
            }
        }
        return left;
    }
}
