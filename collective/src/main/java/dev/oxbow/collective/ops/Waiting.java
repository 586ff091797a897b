package dev.oxbow.collective.ops;

import dev.oxbow.collective.Pending;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A kernel that waits for its collectives: it completes when they have ended, and its step's cancellation ends them. */
final class Waiting {

    /*
     * A phase is a set of calls that run together; the next one starts when all of them have ended. Memory belongs to a call
     * until it has ended, so a kernel never completes, not even by an error, while one of its calls still runs.
     */

    private final Completion completion;
    private final Cancellation cancellation;
    private final long registration;
    private final List<Pending> calls = new CopyOnWriteArrayList<>();
    private final List<Tensor> held = new ArrayList<>();
    private final List<Runnable> last = new ArrayList<>();
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicReference<Throwable> error = new AtomicReference<>();
    private volatile OxbowException cancelled;
    private Runnable next;

    private Waiting(KernelContext c) {
        completion = c.defer();
        cancellation = c.cancellation();
        registration = cancellation.register(this::cancel);
        if (registration < 0) cancelled = cancellation.reason();
    }

    /** Defers a kernel and starts its first phase. */
    static void start(KernelContext c, Consumer<Waiting> first) {
        Waiting w = new Waiting(c);
        if (w.cancelled != null) {
            w.end(w.cancelled);
            return;
        }
        try {
            first.accept(w);
        } catch (RuntimeException | Error e) {
            w.end(e);
        }
    }

    /** Makes calls, each given to {@link #add}, and does {@code then} when all have ended well. */
    void phase(Runnable start, Runnable then) {
        next = then;
        calls.clear();
        left.set(1);
        try {
            start.run();
        } catch (RuntimeException | Error e) {
            error.compareAndSet(null, e);
            for (Pending p : calls) p.cancel(String.valueOf(e.getMessage()));
        }
        arrived(null);
    }

    void add(Pending call) {
        left.incrementAndGet();
        calls.add(call);
        if (cancelled != null) call.cancel(cancelled.getMessage());
        call.whenDone(this::arrived);
    }

    /** Releases a tensor when the kernel ends. */
    Tensor hold(Tensor t) {
        held.add(t);
        return t;
    }

    /** Does this when the kernel ends, well or not. */
    void atEnd(Runnable work) {
        last.add(work);
    }

    /** All outputs have been given. */
    void done() {
        end(null);
    }

    private void arrived(OxbowException failure) {
        if (failure != null) error.compareAndSet(null, failure);
        if (left.decrementAndGet() > 0) return;
        if (error.get() != null) {
            end(error.get());
            return;
        }
        try {
            next.run();
        } catch (RuntimeException | Error e) {
            end(e);
        }
    }

    private void cancel(OxbowException why) {
        cancelled = why;
        for (Pending p : calls) p.cancel(why.getMessage());
    }

    private void end(Throwable failure) {
        if (registration >= 0) cancellation.unregister(registration);
        held.forEach(Tensor::release);
        last.forEach(Runnable::run);
        if (failure == null) completion.done();
        else completion.fail(failure);
    }
}
