package dev.oxbow.runtime;

import dev.oxbow.kernels.Parallel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** A share of the threads of a pool: so many work at once, the thread that asks among them. */
public final class Width implements Executor, Parallel, AutoCloseable {
    private final WorkerPool pool;
    private final int threads;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Tasks that workers of the pool have been asked to take, at most {@link #workers}. */
    private final AtomicInteger taken = new AtomicInteger();

    Width(WorkerPool pool, int threads) {
        this.pool = pool;
        this.threads = threads;
    }

    @Override
    public int threads() {
        return threads;
    }

    /** How many threads of the pool it uses, beside the one that asks; one at least, for what completes late. */
    int workers() {
        return Math.max(1, threads - 1);
    }

    @Override
    public void run(long n, long grain, Range task) {
        if (n <= 0) return;
        if (n <= grain || threads == 1) task.run(0, n);
        else pool.run(n, grain, task, threads - 1);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        ask();
    }

    private void ask() {
        int now = taken.get();
        while (now < workers()) {
            if (taken.compareAndSet(now, now + 1)) {
                pool.execute(this::take);
                return;
            }
            now = taken.get();
        }
    }

    private void take() {
        Runnable task = tasks.poll();
        try {
            if (task != null) task.run();
        } finally {
            taken.decrementAndGet();
            if (!tasks.isEmpty()) ask(); // behind those of others
        }
    }

    /** Gives the share back. */
    @Override
    public void close() {
        pool.leave(this);
    }
}
