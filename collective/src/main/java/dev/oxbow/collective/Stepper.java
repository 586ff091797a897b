package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Transport;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Decides which thread makes a communicator move. */
final class Stepper {

    /*
     * Handing work to a sleeping thread costs 50 microseconds, many times what a small collective takes. So a thread that
     * waits for a collective steps the communicator itself, and the background thread takes over only when a call is under
     * way and no other has stepped for a nap of 200 microseconds. It then blocks in the transport, holding the role; a
     * thread that wants to wait wakes it, and it lets go. While no call is under way it sleeps naps of a millisecond and
     * takes one step between them, so it may be that late for a call that nobody waits for; to wake it would delay the
     * others. It blocks when nobody has stepped for a second. While one wait of another thread, which then steps, goes on,
     * naps grow, so as not to take that thread's core; who ends such a wait wakes it.
     */

    private static final long NAP = 200_000;
    private static final long IDLE_NAP = 1_000_000;
    private static final long LONGEST_NAP = 64_000_000;
    private static final long LONGEST_WAIT = 1_000_000_000;
    private static final int IDLE_NAPS = 1000;

    private final Communicator communicator;
    private final Transport transport;
    private final ReentrantLock role = new ReentrantLock();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger waits = new AtomicInteger();
    private final Thread thread;
    private volatile boolean background;
    private volatile boolean closing;
    private volatile int steps;
    private volatile long nap = NAP;

    private Stepper(Communicator communicator, Transport transport, boolean threads) {
        this.communicator = communicator;
        this.transport = transport;
        thread = threads
                ? Thread.ofPlatform()
                        .daemon()
                        .name("oxbow-comm-" + transport.rank())
                        .unstarted(this::run)
                : null;
    }

    static Stepper threads(Communicator communicator, Transport transport) {
        return new Stepper(communicator, transport, true);
    }

    static Stepper byHand(Communicator communicator) {
        return new Stepper(communicator, communicator.transport(), false);
    }

    /** Whether this thread has the role, and so must not wait for whoever has it. */
    boolean isHeld() {
        return role.isHeldByCurrentThread();
    }

    boolean isByHand() {
        return thread == null;
    }

    void start() {
        thread.start();
    }

    /** There is something in the communicator's queue. */
    void submitted() {
        if (isByHand() || role.isHeldByCurrentThread()) return;
        if (role.tryLock()) {
            try {
                turn();
                touch();
            } finally {
                leave();
            }
        } else {
            transport.wakeUp();
        }
    }

    /** Waits until a condition holds or about so many nanoseconds have passed; where others step, by {@code sleep}. */
    void await(BooleanSupplier over, LongConsumer sleep, long nanos) {
        if (over.getAsBoolean()) return;
        require(
                !isByHand(),
                FAILED_PRECONDITION,
                "Communicator: rank %d is stepped by hand, and can not wait",
                transport.rank());
        long start = System.nanoTime();
        waits.incrementAndGet();
        waiting.incrementAndGet();
        try {
            while (!over.getAsBoolean() && System.nanoTime() - start < nanos) {
                if (closing) {
                    sleep.accept(NAP);
                } else if (background && !role.isHeldByCurrentThread()) {
                    transport.wakeUp();
                    if (takeRole()) stepUntil(over, start, nanos);
                    else if (Thread.currentThread().isInterrupted()) sleep.accept(1); // which says what that means
                } else if (role.tryLock()) {
                    stepUntil(over, start, nanos);
                } else {
                    sleep.accept(Math.min(nanos, NAP));
                }
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    /**
     * Waits a nap for the role. Not longer: who has got it first may end the handle that is waited for, and keep the role
     * until another rank makes a call that its caller can not make before this wait ends.
     */
    private boolean takeRole() {
        try {
            return role.tryLock(NAP, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void stepUntil(BooleanSupplier over, long start, long nanos) {
        try {
            while (!over.getAsBoolean()) {
                if (turn()) continue;
                touch();
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0 || closing) return;
                transport.await(Math.min(left, communicator.idleNanos()));
            }
        } finally {
            touch();
            leave();
            if (nap > IDLE_NAP || nap > NAP && communicator.isBusy()) LockSupport.unpark(thread);
        }
    }

    /** One round; a callback that waits may lead to another one inside it. */
    private boolean turn() {
        try {
            return communicator.turn();
        } catch (RuntimeException | Error e) {
            communicator.broken(e);
            throw e;
        }
    }

    private void sleep(long nanos) {
        try {
            transport.rest(nanos);
        } catch (RuntimeException | Error e) {
            communicator.broken(e);
            throw e;
        }
    }

    private void touch() {
        steps++;
    }

    /** Gives up the role, but not before what came in last has been seen. */
    private void leave() {
        unlock();
        while (communicator.hasWork() && !role.isHeldByCurrentThread() && role.tryLock()) {
            try {
                turn();
            } finally {
                unlock();
            }
        }
    }

    /** Gives up the role, but not before peers have been told what they may wait for. */
    private void unlock() {
        try {
            if (communicator.mesh().hurry()) turn();
        } finally {
            role.unlock();
        }
    }

    private void run() {
        int seen = steps - 1, idle = 0, wait = 0;
        while (!closing) {
            boolean alone = waiting.get() == 0 && steps == seen;
            idle = alone ? idle + 1 : 0;
            if (alone && role.tryLock()) {
                background = true;
                try {
                    do {
                        if (!turn() && (communicator.isBusy() || idle >= IDLE_NAPS))
                            sleep(Math.min(LONGEST_WAIT, communicator.idleNanos()));
                    } while (!closing && waiting.get() == 0 && (communicator.isBusy() || idle >= IDLE_NAPS));
                } finally {
                    background = false;
                    leave();
                }
            }
            seen = steps;
            int latest = waits.get();
            if (waiting.get() == 0) nap = communicator.isBusy() ? NAP : IDLE_NAP;
            else nap = latest == wait ? Math.clamp(2 * nap, IDLE_NAP, LONGEST_NAP) : IDLE_NAP;
            wait = latest;
            LockSupport.parkNanos(nap);
        }
    }

    /** Ends the background thread and does the last work. */
    void close(Runnable last) {
        if (!isByHand()) {
            closing = true;
            transport.wakeUp();
            LockSupport.unpark(thread);
            if (Thread.currentThread() != thread) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        role.lock();
        try {
            last.run();
        } finally {
            role.unlock();
        }
    }
}
