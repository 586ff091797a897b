package dev.oxbow.runtime;

import dev.oxbow.kernels.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The platform threads that run kernels: whole regions as tasks, and ranges of one kernel in parallel. The thread that
 * asks for ranges works on them too, so work gets done whatever the workers do. Engines have shares of it.
 */
public final class WorkerPool implements Executor {

    /*
     * Handing work to a parked thread costs tens of microseconds, to a spinning one a fraction of one, so idle workers
     * spin for SPIN_NANOS before they park; not where all shares are of one thread, whose worker only takes what
     * completes late, while the caller may want the core. There are as many workers as the shares ask for together, but
     * not more than leave a core to the caller, or than the widest asks for. Ranges are cut by the caller's grain alone;
     * who runs which does not change the result.
     */

    private static final long SPIN_NANOS = 200_000;
    private static final WorkerPool PROCESS = new WorkerPool();

    private final List<Width> shares = new ArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Parallel runs that want helpers; whoever waits for one run may help another. */
    private final ConcurrentLinkedQueue<Ranges> ranges = new ConcurrentLinkedQueue<>();

    private final ConcurrentLinkedQueue<Thread> parked = new ConcurrentLinkedQueue<>();
    private int workers;

    /** Workers with a lower number spin. */
    private volatile int spinning;

    WorkerPool() {}

    /** The one pool of this process. */
    public static WorkerPool ofProcess() {
        return PROCESS;
    }

    /** A share in which {@code threads} threads work at once: workers, and the caller inside {@link Width#run}. */
    public synchronized Width share(int threads) {
        Width w = new Width(this, threads);
        shares.add(w);
        int most = Math.max(Runtime.getRuntime().availableProcessors() - 1, w.workers()), sum = 0;
        for (Width s : shares) {
            most = Math.max(most, s.workers());
            sum += s.workers();
        }
        for (; workers < Math.min(most, sum); workers++) {
            int number = workers;
            Thread.ofPlatform().daemon().name("oxbow-" + number).start(() -> work(number));
        }
        findSpinning();
        return w;
    }

    synchronized void leave(Width w) {
        shares.remove(w);
        findSpinning();
    }

    private void findSpinning() {
        int sum = 0;
        for (Width s : shares) sum += s.threads() - 1;
        spinning = Math.min(sum, workers);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /** Runs ranges on this thread and on up to {@code most} others. */
    void run(long n, long grain, Parallel.Range task, int most) {
        Ranges r = new Ranges(n, grain, task);
        int helpers = (int) Math.min(most, r.chunks - 1);
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

    private void work(int number) {
        long idleSince = 0;
        while (true) {
            Runnable task = ranges.poll();
            if (task == null) task = tasks.poll();
            if (task != null) {
                try {
                    task.run();
                } catch (Throwable e) { // one lost worker would be lost to all engines
                    Thread self = Thread.currentThread();
                    self.getUncaughtExceptionHandler().uncaughtException(self, e);
                }
                idleSince = 0;
                continue;
            }
            long now = System.nanoTime();
            if (idleSince == 0) idleSince = now;
            if (number < spinning && now - idleSince < SPIN_NANOS) {
                Thread.onSpinWait();
                continue;
            }
            Thread self = Thread.currentThread();
            parked.add(self);
            if (ranges.isEmpty() && tasks.isEmpty()) LockSupport.park(this);
            parked.remove(self);
            idleSince = 0;
        }
    }

    /** The chunks of one parallel run; every participant takes the next one until none is left. */
    private final class Ranges implements Runnable {
        private final long n;
        private final long grain;
        private final long chunks;
        private final Parallel.Range task;
        private final AtomicLong next = new AtomicLong();
        private final AtomicLong left;
        private final Thread owner = Thread.currentThread();
        private volatile Throwable error;

        Ranges(long n, long grain, Parallel.Range task) {
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
