package dev.oxbow.cluster.rpc;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import com.google.protobuf.MessageLite;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** One call that goes through the {@link Door} of a server, until it has its answer. */
final class Visit<A extends MessageLite> implements Call.Way<A> {
    private final Call<A> call;
    private final String what;
    private final Connection from;
    private final BiConsumer<Received<A>, OxbowException> then;
    private final Consumer<Visit<?>> left;
    private Cancellation cancellation;
    private long link;
    private Future<?> timer;
    private boolean ended;

    /** {@code what} names method and server in errors, {@code left} is told of the end. */
    Visit(
            String what,
            Traffic.Meter meter,
            Connection from,
            BiConsumer<Received<A>, OxbowException> then,
            Consumer<Visit<?>> left) {
        this.call = new Call<>(this, meter);
        this.what = what;
        this.from = from;
        this.then = then;
        this.left = left;
    }

    /** From now on it ends when it is given up or late; either may be null. */
    void begin(Cancellation given, Duration deadline, Schedule schedule) {
        if (given != null) {
            long l = given.register(this::givenUp);
            if (l < 0) givenUp(given.reason());
            boolean late;
            synchronized (this) {
                late = ended;
                link = l;
                if (!late) cancellation = given;
            }
            if (late && l >= 0) given.unregister(l);
        }
        if (deadline == null) return;
        Future<?> t = schedule.after(
                deadline,
                () -> givenUp(new OxbowException(
                        DEADLINE_EXCEEDED, "%s gave no answer within %d ms".formatted(what, deadline.toMillis()))));
        synchronized (this) {
            timer = t;
            if (ended) t.cancel(false);
        }
    }

    synchronized boolean isEnded() {
        return ended;
    }

    Call<A> call() {
        return call;
    }

    @Override
    public Connection from() {
        return from;
    }

    @Override
    public Cargo cargo() {
        return Cargo.handed();
    }

    @Override
    public long answer(A message, Cargo cargo) {
        Received<A> handed;
        try {
            handed = Received.handed(message, cargo);
        } catch (RuntimeException | OutOfMemoryError e) { // whoever asked waits for one or the other
            fail(Statuses.of(e));
            return 0;
        }
        end(handed, null);
        return cargo == null ? 0 : cargo.bytes();
    }

    /** As an error that went by the wire. */
    @Override
    public void fail(OxbowException e) {
        end(null, Statuses.error(Statuses.status(e), Statuses.trailers(e)));
    }

    /** One of the two sides is no more. */
    void lost() {
        givenUp(new OxbowException(UNAVAILABLE, what + " does not answer: the connection was closed"));
    }

    private void givenUp(OxbowException reason) {
        call.cancelled();
        end(null, reason);
    }

    private void end(Received<A> answer, OxbowException error) {
        try (answer) {
            synchronized (this) {
                if (ended) return;
                ended = true;
                if (timer != null) timer.cancel(false);
            }
            if (cancellation != null) cancellation.unregister(link); // it is not set any more
            left.accept(this);
            then.accept(answer, error);
        }
    }
}
