package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls of many steps that become batches: one is closed when it is full, when the next call has no room in it, or some
 * time after its first. Thread-safe; no thread waits.
 */
final class BatchLine implements Resource {
    private static final AtomicLong IDS = new AtomicLong();

    /** What one batch may be, and how many may run or wait; no sizes allow each, no threads any number. */
    record Limits(long threads, long rows, long micros, long waiting, List<Long> sizes) {
        Limits {
            for (int i = 1; i < sizes.size(); i++)
                require(
                        sizes.get(i) > sizes.get(i - 1),
                        INVALID_ARGUMENT,
                        "allowed_batch_sizes entries must be monotonically increasing, got %s",
                        sizes);
            require(
                    sizes.isEmpty() || sizes.getLast() == rows,
                    INVALID_ARGUMENT,
                    "final entry in allowed_batch_sizes must equal max_batch_size %d, got %s",
                    rows,
                    sizes);
        }

        /** The size that a batch of so many rows is filled up to. */
        long filled(long n) {
            for (long s : sizes) if (s >= n) return s;
            return n;
        }
    }

    /** Computes a batch; {@code done} is called when another may take its place. */
    interface Body {
        void run(List<BatchTask> tasks, Runnable done);
    }

    /** A task in the open batch, and where it is told that its step has ended. */
    private record Call(BatchTask task, Cancellation step, long number) {}

    private final Limits limits;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private List<Call> open = new ArrayList<>();
    private long openRows;
    private long running;
    private boolean closed;

    private BatchLine(Limits limits) {
        this.limits = limits;
    }

    static BatchLine of(KernelContext c, String container, String sharedName, String queue, Limits limits) {
        String name = (sharedName.isEmpty() ? c.node() : sharedName) + "/" + queue;
        return c.containers().lookupOrCreate(container, name, BatchLine.class, () -> new BatchLine(limits));
    }

    /** A number of its own for each call. */
    static long id() {
        return IDS.getAndIncrement();
    }

    /** Takes a task into a batch, which {@code body} computes; an error where there is no room. */
    void add(BatchTask task, Body body) {
        Cancellation step = task.context().cancellation(); // once it is in a batch, its step may be over at any time
        Call call = new Call(task, step, step.register(reason -> cancel(task, reason)));
        if (call.number < 0) throw step.reason().rethrown();
        List<Runnable> ready = new ArrayList<>();
        try {
            put(call, body, ready);
        } catch (RuntimeException e) {
            step.unregister(call.number);
            throw e;
        } finally {
            ready.forEach(Runnable::run);
        }
        if (step.isCancelled()) cancel(task, step.reason()); // it may have been before the task was in the batch
    }

    private synchronized void put(Call call, Body body, List<Runnable> ready) {
        BatchTask task = call.task;
        require(!closed, CANCELLED, "%s was deleted", kind());
        require(
                task.rows() <= limits.rows,
                INVALID_ARGUMENT,
                "Task size %d is larger than maximum input batch size %d",
                task.rows(),
                limits.rows);
        if (openRows + task.rows() > limits.rows) shut(body, ready);
        require(
                waiting.size() < limits.waiting || running < Math.max(1, limits.threads),
                UNAVAILABLE,
                "The batch scheduling queue to which this task was submitted is full; currently %d batches enqueued and max_enqueued_batches is %d",
                waiting.size(),
                limits.waiting);
        if (open.isEmpty()) later(open, body);
        else if (!task.isAlike(open.getFirst().task))
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "rows of %s can not be in one batch with those of %s, which are waiting"
                            .formatted(task.describe(), open.getFirst().task.describe()));
        open.add(call);
        openRows += task.rows();
        if (openRows == limits.rows || limits.micros == 0) shut(body, ready);
    }

    private void later(List<Call> batch, Body body) {
        CompletableFuture.delayedExecutor(limits.micros, TimeUnit.MICROSECONDS).execute(() -> {
            List<Runnable> ready = new ArrayList<>();
            synchronized (this) {
                if (open == batch) shut(body, ready);
            }
            ready.forEach(Runnable::run);
        });
    }

    /** Under the lock: the open batch takes no more, and runs when there is a place for it. */
    private void shut(Body body, List<Runnable> ready) {
        List<BatchTask> batch = open.stream().map(Call::task).toList();
        for (Call c : open) c.step.unregister(c.number);
        open = new ArrayList<>();
        openRows = 0;
        if (batch.isEmpty()) return;
        Runnable run = () -> {
            try {
                body.run(batch, this::next);
            } catch (RuntimeException | Error e) {
                batch.forEach(t -> t.fail(e));
                next();
            }
        };
        if (limits.threads > 0 && running >= limits.threads) {
            waiting.add(run);
        } else {
            running++;
            ready.add(run);
        }
    }

    private void next() {
        Runnable run;
        synchronized (this) {
            run = waiting.poll();
            if (run == null) running--;
        }
        if (run != null) run.run();
    }

    /** Takes a task out whose step has ended before its batch was closed. */
    private void cancel(BatchTask task, OxbowException reason) {
        synchronized (this) {
            if (!open.removeIf(c -> c.task == task)) return;
            openRows -= task.rows();
        }
        task.fail(reason);
    }

    @Override
    public void close() {
        List<Call> ended;
        synchronized (this) {
            closed = true;
            ended = open;
            open = new ArrayList<>();
        }
        for (Call c : ended) {
            c.step.unregister(c.number);
            c.task.fail(new OxbowException(CANCELLED, kind() + " was deleted"));
        }
    }

    @Override
    public String kind() {
        return "line of batches";
    }
}
