package dev.oxbow.collective.keyed;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Does one thing after the other, each on some thread of others. */
final class Serial implements Executor {
    private final Executor threads;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    Serial(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            waiting.add(task);
            if (running) return;
            running = true;
        }
        threads.execute(this::work);
    }

    private void work() {
        while (true) {
            Runnable next;
            synchronized (waiting) {
                next = waiting.poll();
                if (next == null) {
                    running = false;
                    return;
                }
            }
            next.run();
        }
    }
}
