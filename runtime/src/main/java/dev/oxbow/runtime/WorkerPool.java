package dev.oxbow.runtime;

import dev.oxbow.kernels.Parallel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The platform threads that run kernels: whole regions as tasks, and ranges of one kernel in parallel. The thread that
 * asks for ranges works on them too, so a pool of one thread makes progress always.
 */
public final class WorkerPool implements Executor, Parallel, AutoCloseable {

    /*
     * Handing work to a parked thread costs tens of microseconds, to a spinning one a fraction of one, so idle workers
     * spin for SPIN_NANOS before they park; in a pool of one thread the worker only takes what completes late, while the
     * caller may want the core. Ranges are cut by the caller's grain alone; who runs which does not change
     * the result.
     */

    private static final long SPIN_NANOS = 200_000;

    private final Thread[] workers;
    private final int threads;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Parallel runs that want helpers; whoever waits for one run may help another. */
    private final ConcurrentLinkedQueue<Ranges> ranges = new ConcurrentLinkedQueue<>();

    private final ConcurrentLinkedQueue<Thread> parked = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** A pool in which {@code threads} threads work at once: its workers, and the caller inside {@link #run}. */
    public WorkerPool(String name, int threads) {
        this.threads = threads;
        workers = new Thread[Math.max(1, threads - 1)]; // the caller of run is one of the threads
        for (int i = 0; i < workers.length; i++) {
            workers[i] = Thread.ofPlatform().daemon().name(name + "-" + i).unstarted(this::work);
        }
        for (Thread t : workers) t.start();
    }

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    @Override
    public void run(long n, long grain, Range task) {
        if (n <= 0) return;
        if (n <= grain || threads == 1) {
            task.run(0, n);
            return;
        }
        Ranges r = new Ranges(n, grain, task);
        int helpers = (int) Math.min(threads - 1, r.chunks - 1);
        for (int i = 0; i < helpers; i++) {
            ranges.add(r);
            wake();
        }
        r.run();
        r.await();
    }

    private void wake() {
        Thread t = parked.poll();
        if (t != null) LockSupport.unpark(t);
    }

    private void work() {
        long idleSince = 0;
        while (!closed) {
            Runnable task = ranges.poll();
            if (task == null) task = tasks.poll();
            if (task != null) {
                task.run();
                idleSince = 0;
                continue;
            }
            long now = System.nanoTime();
            if (idleSince == 0) idleSince = now;
            if (threads > 1 && now - idleSince < SPIN_NANOS) {
                Thread.onSpinWait();
                continue;
            }
            Thread self = Thread.currentThread();
            parked.add(self);
            if (ranges.isEmpty() && tasks.isEmpty() && !closed) LockSupport.park(this);
            parked.remove(self);
            idleSince = 0;
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Thread t : workers) LockSupport.unpark(t);
    }

    /** The chunks of one parallel run; every participant takes the next one until none is left. */
    private final class Ranges implements Runnable {
        private final long n;
        private final long grain;
        private final long chunks;
        private final Range task;
        private final AtomicLong next = new AtomicLong();
        private final AtomicLong left;
        private final Thread owner = Thread.currentThread();
        private volatile Throwable error;

        Ranges(long n, long grain, Range task) {
            this.n = n;
            this.grain = Math.max(1, grain);
            this.task = task;
            this.chunks = (n + this.grain - 1) / this.grain;
            this.left = new AtomicLong(chunks);
        }

        @Override
        public void run() {
            long c;
            while ((c = next.getAndIncrement()) < chunks) {
                try {
                    if (error == null) task.run(c * grain, Math.min(n, (c + 1) * grain));
                } catch (Throwable e) {
                    error = e;
                }
                if (left.decrementAndGet() == 0 && Thread.currentThread() != owner) LockSupport.unpark(owner);
            }
        }

        void await() {
            long start = System.nanoTime();
            while (left.get() > 0) {
                Ranges other = ranges.poll();
                if (other != null) other.run();
                else if (System.nanoTime() - start < SPIN_NANOS) Thread.onSpinWait();
                else LockSupport.parkNanos(this, 100_000);
            }
            switch (error) {
                case null -> {}
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(error);
            }
        }
    }
}
