package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/** Where calls of several steps give each other tensors by number; what nobody fetches in time is dropped. Thread-safe. */
final class Meeting implements Resource {

    /** A tensor that nobody has fetched, and the end of its time. */
    private record Given(Tensor rows, CompletableFuture<Void> end) {}

    private final Map<Long, Given> given = new HashMap<>();
    private final Map<Long, CompletableFuture<Tensor>> wanted = new HashMap<>();
    private boolean closed;

    /** The one of this name for {@code what}. */
    static Meeting of(KernelContext c, String container, String sharedName, String what) {
        String name = what + "/" + (sharedName.isEmpty() ? c.node() : sharedName);
        return c.containers().lookupOrCreate(container, name, Meeting.class, Meeting::new);
    }

    /** Gives a tensor to whoever wants its number now or within {@code micros}, in place of an earlier one; takes over the reference. */
    void give(long id, Tensor t, long micros) {
        Given now = new Given(t, new CompletableFuture<>()), old = now;
        for (CompletableFuture<Tensor> taker = null; ; ) {
            synchronized (this) {
                taker = wanted.remove(id);
                if (taker == null && !closed) old = given.put(id, now);
            }
            if (taker == null) break;
            if (taker.complete(t)) return; // else it has just ended by itself
        }
        if (old != null) drop(old);
        if (old != now)
            now.end
                    .completeOnTimeout(null, Math.max(0, micros), TimeUnit.MICROSECONDS)
                    .thenRun(() -> expire(id, now));
    }

    private void expire(long id, Given g) {
        synchronized (this) {
            if (!given.remove(id, g)) return;
        }
        g.rows.release();
    }

    private static void drop(Given g) {
        g.end.cancel(false);
        g.rows.release();
    }

    /** Calls {@code then} once, with the tensor of this number, which it owns, or why there is none. */
    void take(KernelContext c, long id, long micros, BiConsumer<Tensor, Throwable> then) {
        CompletableFuture<Tensor> rows = new CompletableFuture<>();
        Given there;
        OxbowException refused = null;
        synchronized (this) {
            there = given.remove(id);
            if (closed) refused = deleted();
            else if (there == null && wanted.putIfAbsent(id, rows) != null)
                refused = new OxbowException(ALREADY_EXISTS, "rows of call %d are waited for already".formatted(id));
        }
        if (there != null) {
            there.end.cancel(false);
            then.accept(there.rows, null);
            return;
        }
        if (refused != null) {
            then.accept(null, refused);
            return;
        }
        Cancellation step = c.cancellation(); // with the rows the step may be over
        long number = step.register(rows::completeExceptionally);
        rows.whenComplete((t, error) -> {
            synchronized (this) {
                wanted.remove(id, rows);
            }
            step.unregister(number);
            then.accept(t, error instanceof TimeoutException ? late(micros) : error);
        });
        if (number < 0) rows.completeExceptionally(step.reason());
        rows.orTimeout(Math.max(0, micros), TimeUnit.MICROSECONDS);
    }

    private static OxbowException late(long micros) {
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "Batched data did not arrive within timeout window of %d microseconds".formatted(micros));
    }

    private OxbowException deleted() {
        return new OxbowException(CANCELLED, kind() + " was deleted");
    }

    @Override
    public void close() {
        List<CompletableFuture<Tensor>> ended;
        List<Given> left;
        synchronized (this) {
            closed = true;
            ended = new ArrayList<>(wanted.values());
            left = new ArrayList<>(given.values());
            wanted.clear();
            given.clear();
        }
        left.forEach(Meeting::drop);
        for (CompletableFuture<Tensor> t : ended) t.completeExceptionally(deleted());
    }

    @Override
    public String kind() {
        return "meeting of batches";
    }
}
