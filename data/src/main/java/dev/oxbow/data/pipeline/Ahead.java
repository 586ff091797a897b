package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Elements computed ahead of whoever takes them, by several threads, and taken in their order. */
final class Ahead<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Ahead.class);

    /*
     * A slot for each element stands in a line, in the order of the cursor, which one thread at a time walks; workers compute the
     * parts of slots; one thread takes the first slot when it is done. So threads decide when something is computed, never what or
     * in which order it comes. The line is bounded by elements and by bytes: finished ones count with their size, unfinished
     * ones with the mean of all so far, and one may always be under way. Until a size is known there are no more of them than
     * threads. Nobody who computes waits, so whoever takes gets on, with one thread, too.
     *
     * Waking a thread takes as long as computing a small batch. So there is no thread for walking: a worker that has nothing to
     * compute walks on by one or two elements (pull). Whoever takes computes something himself before he waits, but does not walk,
     * since a source may be silent for long and he must see the close. Nobody is woken who would wait again.
     */

    /** As many slots wait for somebody who computes them before the cursor is walked any further. */
    private static final int UNBEGUN = 2;

    private final Cursor<T> from;
    private final Workers workers;
    private final Work walked;
    private final int most;
    private final long mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Slot> line = new ArrayDeque<>();
    private long finishedBytes;
    private int unfinished;
    private long measured;
    private double mean;
    private boolean ended;
    private boolean closed;
    private boolean walking;
    private int pulling;
    private final Runnable puller = this::pull;
    private RuntimeException broken;
    private boolean told;
    private boolean left;

    private final class Slot implements Runnable {
        final Lazy<T> lazy;
        private final int parts;
        private int begun;
        private int done;
        private boolean finished;
        private T value;
        private RuntimeException failure;
        private long bytes;

        Slot(Lazy<T> lazy) {
            this.lazy = lazy;
            this.parts = Math.max(1, lazy.parts());
        }

        /** Computes the next part, and the element behind the last one. */
        @Override
        public void run() {
            int part;
            boolean stop;
            lock.lock();
            try {
                part = begun++;
                stop = closed || workers.isClosed();
            } finally {
                lock.unlock();
            }
            if (!stop && parts > 1) compute(part);
            lock.lock();
            try {
                if (++done < parts) return;
            } finally {
                lock.unlock();
            }
            finish(stop);
        }

        private void compute(int part) {
            try {
                lazy.compute(part);
            } catch (Throwable e) {
                // the element does what is missing, and meets it again
            }
        }

        private void finish(boolean stop) {
            T computed = null;
            RuntimeException thrown = null;
            try {
                if (stop) {
                    lazy.drop();
                    throw new OxbowException(CANCELLED, "input: closed");
                }
                computed = lazy.get();
            } catch (Throwable e) {
                thrown = Failure.of(e);
            }
            long size = Sizes.of(computed);
            lock.lock();
            try {
                value = computed;
                failure = thrown;
                bytes = size;
                finished = true;
                unfinished--;
                finishedBytes += size;
                mean += (size - mean) / ++measured;
                if (closed) Ownership.close(value);
                if (this == line.peek()) arrived.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** @param walked how often the cursor was walked on, and for how long */
    Ahead(Cursor<T> from, Workers workers, int most, long mostBytes, Work walked) {
        this.from = from;
        this.walked = walked;
        this.workers = workers;
        this.most = Math.max(1, most);
        this.mostBytes = mostBytes;
    }

    /** With as many elements ahead as suit a stage that must look at values to know its order. */
    static <T> Ahead<T> of(Cursor<T> from, Workers workers) {
        return new Ahead<>(from, workers, 4 * workers.size(), 64L << 20, new Work());
    }

    /** Starts as many elements as there is room for, by the caller's walking. */
    void fill() {
        while (hasRoom()) walk();
    }

    /** Walks on by one element, which workers are given. */
    private void walk() {
        Lazy<T> next = null;
        RuntimeException failure = null;
        long start = System.nanoTime();
        try {
            next = from.next();
        } catch (Throwable e) { // whoever takes must not wait for a walker that is gone
            failure = Failure.of(e);
        }
        walked.add(1, System.nanoTime() - start);
        Slot slot = next == null ? null : new Slot(next);
        lock.lock();
        try {
            if (slot == null) {
                ended = true;
                broken = failure;
                arrived.signalAll();
                return;
            }
            line.add(slot);
            unfinished++;
            if (line.size() == 1) arrived.signalAll();
        } finally {
            lock.unlock();
        }
        for (int p = 0; p < slot.parts; p++) workers.start(slot);
    }

    /** Has a worker walk on where that is worth it and none does. */
    void start() {
        lock.lock();
        try {
            if (pulling > 0 || line.size() > most / 2 || !hasRoom()) return;
            pulling++;
        } finally {
            lock.unlock();
        }
        workers.start(puller);
    }

    /** What a worker does behind anything that it was given. */
    void join() {
        lock.lock();
        try {
            pulling++;
        } finally {
            lock.unlock();
        }
        pull();
    }

    /** What a worker does: walks and computes until the line is full, or others do both. */
    private void pull() {
        while (true) {
            boolean mayWalk = false, last = false;
            int unbegun = workers.waiting();
            lock.lock();
            try {
                if (unbegun < UNBEGUN && !walking && hasRoom()) walking = mayWalk = true;
                else if (unbegun == 0) {
                    pulling--;
                    return;
                }
            } finally {
                lock.unlock();
            }
            if (mayWalk) {
                try {
                    walk();
                } finally {
                    lock.lock();
                    try {
                        walking = false;
                        last = left;
                    } finally {
                        lock.unlock();
                    }
                }
                if (last) closeBehindWalk();
            } else {
                Runnable next = workers.take();
                if (next == puller) left();
                else if (next != null) next.run();
            }
        }
    }

    /** One less pulls. */
    private void left() {
        lock.lock();
        try {
            pulling--;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom() {
        lock.lock();
        try {
            if (ended || closed) return false;
            if (line.isEmpty()) return true;
            if (measured == 0) return line.size() < Math.min(most, workers.size());
            return line.size() < most && finishedBytes + (unfinished + 1) * mean <= mostBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is something to take, be it an error, without waiting. */
    boolean isReady() {
        lock.lock();
        try {
            return closed || (line.isEmpty() ? ended : line.peek().finished);
        } finally {
            lock.unlock();
        }
    }

    /** Whether an element or an error comes; waits until that is known. An error of the order itself comes once. */
    boolean hasNext() {
        lock.lock();
        try {
            while (line.isEmpty() && !ended && !closed) await();
            return !closed && (!line.isEmpty() || broken != null && !told);
        } finally {
            lock.unlock();
        }
    }

    /** The next element, or its error; after an error the next one comes, unless the order itself is broken. */
    T take() {
        lock.lock();
        try {
            while (!closed && (line.isEmpty() ? !ended : !line.peek().finished)) if (!helped()) await();
            if (closed) throw new OxbowException(CANCELLED, "input: closed");
            if (line.isEmpty()) {
                told = true;
                throw broken;
            }
            Slot first = line.remove();
            finishedBytes -= first.bytes;
            if (first.failure != null) throw first.failure;
            return first.value;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the order itself has failed and all that came before was taken. */
    boolean isBroken() {
        lock.lock();
        try {
            return closed || line.isEmpty() && broken != null;
        } finally {
            lock.unlock();
        }
    }

    /** What broke the order; null where nothing did. */
    RuntimeException broken() {
        lock.lock();
        try {
            return broken;
        } finally {
            lock.unlock();
        }
    }

    /** Computes something that no worker has begun; false where there is nothing. The lock is open meanwhile. */
    private boolean helped() {
        Runnable next = Thread.currentThread().isInterrupted() ? null : workers.take();
        if (next == puller) workers.start(next); // for a worker
        if (next == null || next == puller) return false;
        lock.unlock();
        try {
            next.run();
        } finally {
            lock.lock();
        }
        return true;
    }

    private void await() {
        try {
            arrived.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "input: interrupted while waiting for an element", e);
        }
    }

    /** What a worker does whose walk took longer than anybody would wait for it. */
    private void closeBehindWalk() {
        try {
            from.close();
        } catch (RuntimeException e) {
            LOG.warn("input: a source could not be closed", e);
        }
    }

    /** Ends all waits and closes what nobody took. Nothing more is computed. */
    void stop() {
        lock.lock();
        try {
            closed = true;
            for (Slot s : line) if (s.finished) Ownership.close(s.value);
            line.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Stops, and closes the cursor when threads have ended; if one walks it nevertheless, it does that. */
    @Override
    public void close() {
        stop();
        boolean walked;
        lock.lock();
        try {
            walked = left = walking;
        } finally {
            lock.unlock();
        }
        if (!walked) from.close();
    }
}
