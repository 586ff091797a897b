package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import com.google.protobuf.MessageLite;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.function.Predicate;

/** Lets requests in that begin something, until the server ends; it knows how many of them are not answered yet. */
public final class Gate {
    private final String task;
    private final Gauge inside = new Gauge();
    private boolean closed;

    /** The gate of a task, which its refusals name. */
    public Gate(String task) {
        this.task = task;
    }

    /** A handler that refuses requests when the gate is closed. */
    public <Q extends MessageLite, A extends MessageLite> Service.Handler<Q, A> guard(Service.Handler<Q, A> handler) {
        return (request, call) -> {
            enter(call);
            handler.handle(request, call);
        };
    }

    /** As above, for requests with tensors; those that do not begin anything, but go on with it, are let in always. */
    public <Q extends MessageLite, A extends MessageLite> Service.TensorHandler<Q, A> guard(
            Predicate<Q> begins, Service.TensorHandler<Q, A> handler) {
        return (request, call) -> {
            if (begins.test(request.message())) enter(call);
            handler.handle(request, call);
        };
    }

    private void enter(Call<?> call) {
        synchronized (this) {
            if (closed)
                throw new OxbowException(UNAVAILABLE, "the server is ending: it begins no new sessions and steps")
                        .in(task);
            inside.add(1);
        }
        call.whenEnded(() -> inside.add(-1));
    }

    /** Lets nobody in any more. */
    public synchronized void close() {
        closed = true;
    }

    /** Whether all that were let in were answered, or have gone, before the time was over. */
    public boolean awaitEmpty(Duration limit) {
        return inside.await(n -> n == 0, limit);
    }
}
