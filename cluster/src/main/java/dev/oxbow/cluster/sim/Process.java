package dev.oxbow.cluster.sim;

import dev.oxbow.cluster.rpc.Schedule;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** One life of a process of a simulated network, and its threads and timers in virtual time. */
final class Process implements Schedule {
    private final SimulatedNetwork network;
    private final String name;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean stopped;
    private boolean crashed;

    Process(SimulatedNetwork network, String name) {
        this.network = network;
        this.name = name;
    }

    /** Does something in this process: now, or when it goes on. */
    void run(Runnable what) {
        if (stopped && !network.isClosing()) waiting.add(what);
        else what.run();
    }

    void stop() {
        stopped = true;
    }

    void resume() {
        stopped = false;
        while (!stopped && !waiting.isEmpty()) waiting.poll().run();
    }

    void crash() {
        crashed = true;
    }

    boolean isCrashed() {
        return crashed;
    }

    @Override
    public long nanoTime() {
        return network.nanoTime();
    }

    @Override
    public Executor slow() {
        return task -> network.soon(() -> run(task));
    }

    @Override
    public Executor compute(Executor threads) {
        return slow();
    }

    @Override
    public Future<?> after(Duration delay, Runnable task) {
        FutureTask<Void> t = new FutureTask<>(task, null);
        if (!network.isClosing()) network.after(delay, () -> run(t));
        return t;
    }

    @Override
    public Future<?> every(Duration period, Runnable task) {
        FutureTask<Void> end = new FutureTask<>(() -> {}, null);
        again(period, task, end);
        return end;
    }

    private void again(Duration period, Runnable task, Future<?> end) {
        if (network.isClosing()) return;
        network.after(
                period,
                () -> run(() -> {
                    if (end.isCancelled() || crashed || network.isClosing()) return;
                    task.run();
                    again(period, task, end);
                }));
    }

    @Override
    public boolean isVirtual() {
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
