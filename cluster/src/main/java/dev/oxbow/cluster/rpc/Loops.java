package dev.oxbow.cluster.rpc;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a server or a client that move messages, tell the time and do what takes long. */
public final class Loops implements Schedule, AutoCloseable {
    /** What may be on its way by a connection before its receiver says that it was read: large tensors need not stop for that. */
    static final int WINDOW = 1 << 24;

    /** Threads for what takes long end after so many idle seconds. */
    private static final long IDLE_SECONDS = 10;

    /** What is read at once from a connection that has much. */
    private static final int MOST_READ = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Loops.class);

    private final EventLoopGroup events;
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor slow;

    public Loops(String name, int threads) {
        this.events = new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory(name + "-events", true), NioIoHandler.newFactory());
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name + "-timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        this.slow = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name(name + "-slow-", 0).factory());
    }

    EventLoopGroup events() {
        return events;
    }

    /** How much a connection reads at once: little for small messages, much while a large one comes. */
    static RecvByteBufAllocator reads() {
        return new AdaptiveRecvByteBufAllocator(1 << 10, 1 << 14, MOST_READ);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Executor slow() {
        return slow;
    }

    @Override
    public ScheduledFuture<?> after(Duration delay, Runnable task) {
        return timer.schedule(attempt(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public ScheduledFuture<?> every(Duration period, Runnable task) {
        return timer.scheduleWithFixedDelay(attempt(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** What is done every so often is done again after it failed once: a timer would forget it without a word. */
    private static Runnable attempt(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                LOG.error("a task of the timer failed", e);
            }
        };
    }

    @Override
    public void close() {
        timer.shutdownNow();
        slow.shutdown();
        events.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        try {
            events.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
