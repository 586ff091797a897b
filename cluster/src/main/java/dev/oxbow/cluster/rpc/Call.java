package dev.oxbow.cluster.rpc;

import com.google.protobuf.MessageLite;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;

/** One request that waits for its answer: exactly one, from any thread. */
public final class Call<A extends MessageLite> {
    private final Way<A> way;
    private final Traffic.Meter meter;
    private final Cancellation cancellation = new Cancellation();
    private boolean answered;
    private Runnable ended;

    Call(Way<A> way, Traffic.Meter meter) {
        this.way = way;
        this.meter = meter;
    }

    /** How one answer gets to who asked. */
    interface Way<A extends MessageLite> {
        /** Takes it, and gives how many bytes that were. */
        long answer(A message, Cargo cargo);

        void fail(OxbowException e);

        Connection from();

        Cargo cargo();
    }

    /** Cancelled when who asked gave up, or is gone. */
    public Cancellation cancellation() {
        return cancellation;
    }

    /** The connection that the request came by. */
    public Connection connection() {
        return way.from();
    }

    /** For the tensors of the answer. */
    public Cargo cargo() {
        return way.cargo();
    }

    public void answer(A message) {
        answer(message, null);
    }

    /** Answers with a message whose tensors are in {@code cargo}; they have gone when this returns. */
    public void answer(A message, Cargo cargo) {
        if (!isFirst()) return;
        meter.answered(way.answer(message, cargo));
        hasEnded();
    }

    public void fail(OxbowException e) {
        if (!isFirst()) return;
        meter.answered(0);
        way.fail(e);
        hasEnded();
    }

    /** Answers with a message or, where that is null, an error. */
    public void end(A message, OxbowException error) {
        if (error == null) answer(message);
        else fail(error);
    }

    private synchronized boolean isFirst() {
        if (answered) return false;
        return answered = true;
    }

    void cancelled() {
        if (!isFirst()) return;
        cancellation.cancel(new OxbowException(ErrorCode.CANCELLED, "the caller has gone or given up"));
        hasEnded();
    }

    /** Has {@code then} run when this was answered, or who asked has gone; for one who begins to handle it. */
    void whenEnded(Runnable then) {
        synchronized (this) {
            if (!answered) {
                ended = then;
                return;
            }
        }
        then.run();
    }

    private void hasEnded() {
        Runnable then;
        synchronized (this) {
            then = ended;
            ended = null;
        }
        if (then != null) then.run();
    }
}
