package dev.oxbow.cluster.worker;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Which threads the steps of a graph use: those that move messages as long as nothing in a step takes long, else others. */
final class Pace {

    /*
     * Handing a region to another thread costs more than a small region takes, so a step that was quick last time goes on
     * where the message came that it waited for. Everything that a step does between two waits is timed, on whichever
     * thread; the longest of it says where the next step runs. So a graph that has become slow holds a thread of messages
     * up once. That must not be for long: who can not say that it lives is lost to others. So steps that are fed much more
     * than those that were quick, and graphs with loops, are not believed to be.
     */

    /** A thread that moves messages may do something else for as long as a few messages take. */
    private static final long QUICK_NANOS = 200_000;

    /** What a thread has still to do that is in the middle of such a piece of work already. */
    private static final ThreadLocal<ArrayDeque<Runnable>> BEHIND = new ThreadLocal<>();

    private final Executor threads;
    private final Executor slow;
    private final boolean learns;
    private volatile boolean quick;

    /** The most bytes that quick steps were fed. */
    private volatile long fed;

    /** {@code threads} run regions, {@code slow} starts steps that take long: all of them unless it {@code learns}. */
    Pace(Executor threads, Executor slow, boolean learns) {
        this.learns = learns;
        this.threads = threads;
        this.slow = slow;
    }

    /** Starts a step that is fed so many bytes with the executor that its regions are to use. */
    void run(long bytes, Consumer<Executor> start) {
        OneStep step = new OneStep(quick && bytes <= 2 * fed, bytes);
        if (step.inline) step.inline(() -> start.accept(step));
        else slow.execute(() -> step.time(() -> start.accept(step)));
    }

    /** The executor of one step. */
    private final class OneStep implements Executor {
        private final boolean inline;
        private final long bytes;
        private long longest;

        OneStep(boolean inline, long bytes) {
            this.inline = inline;
            this.bytes = bytes;
        }

        @Override
        public void execute(Runnable task) {
            if (inline) inline(task);
            else threads.execute(() -> time(task));
        }

        void time(Runnable task) {
            long from = System.nanoTime();
            try {
                task.run();
            } catch (RuntimeException | Error e) { // those behind it must still run
                Thread self = Thread.currentThread();
                self.getUncaughtExceptionHandler().uncaughtException(self, e);
            }
            note(System.nanoTime() - from);
        }

        private synchronized void note(long nanos) {
            longest = Math.max(longest, nanos);
            quick = learns && longest < QUICK_NANOS;
            if (quick && bytes > fed) fed = bytes;
        }

        /** Runs on this thread: now, or behind what it is doing, so that a chain of pieces needs no stack. */
        void inline(Runnable task) {
            ArrayDeque<Runnable> behind = BEHIND.get();
            if (behind != null) {
                behind.add(task);
                return;
            }
            behind = new ArrayDeque<>();
            BEHIND.set(behind);
            try {
                for (Runnable next = task; next != null; next = behind.poll()) time(next);
            } finally {
                BEHIND.remove();
            }
        }
    }
}
