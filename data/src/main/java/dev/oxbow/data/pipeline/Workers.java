package dev.oxbow.data.pipeline;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that compute elements of one feed; what they run never waits for each other. */
public final class Workers implements AutoCloseable {
    /** No threads: whoever gives work does it. */
    public static final Workers NONE = new Workers(0);

    private static final AtomicInteger FEEDS = new AtomicInteger();

    private final int size;
    private final ThreadPoolExecutor pool;
    private volatile boolean closed;
    private volatile Runnable more;

    Workers(int size) {
        this.size = size;
        int feed = size == 0 ? 0 : FEEDS.incrementAndGet();
        AtomicInteger thread = new AtomicInteger();
        this.pool = size == 0
                ? null
                : new ThreadPoolExecutor(
                        size,
                        size,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        r -> Thread.ofPlatform()
                                .name("input-%d-%d".formatted(feed, thread.incrementAndGet()))
                                .daemon()
                                .unstarted(r)) {
                    @Override
                    protected void afterExecute(Runnable done, Throwable failure) {
                        Runnable next = more;
                        if (next != null && !closed) next.run();
                    }
                };
    }

    /** What each thread does behind anything that it was given. */
    void then(Runnable next) {
        more = next;
    }

    int size() {
        return size;
    }

    boolean isClosed() {
        return closed;
    }

    /** Runs it, now or soon; after the close at once, so that whoever waits for it sees that. */
    void start(Runnable work) {
        if (pool == null || closed) {
            work.run();
            return;
        }
        try {
            pool.execute(work);
        } catch (RejectedExecutionException e) {
            work.run();
        }
    }

    /** How much work no thread has begun. */
    int waiting() {
        return pool == null ? 0 : pool.getQueue().size();
    }

    /** Work that no thread has begun, for the caller to do; null where there is none. */
    Runnable take() {
        return pool == null ? null : pool.getQueue().poll();
    }

    /** Begins nothing more; what was not begun is run by the caller, which finds the feed closed. */
    @Override
    public void close() {
        if (pool == null) return;
        closed = true;
        pool.shutdownNow().forEach(Runnable::run);
    }

    /** Waits for what was begun; false when that takes longer. */
    boolean await(long seconds) throws InterruptedException {
        return pool == null || pool.awaitTermination(seconds, TimeUnit.SECONDS);
    }
}
