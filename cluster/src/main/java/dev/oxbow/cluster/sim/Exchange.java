package dev.oxbow.cluster.sim;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** One call from process to process: a request, and an answer or an error, once; who asks may give up. */
final class Exchange<A> {

    /** What a call without content takes. */
    static final long SMALL = 200;

    /** Does what was asked for, in the process that was asked. */
    @FunctionalInterface
    interface Handler<A> {
        void handle(Cancellation caller, BiConsumer<A, OxbowException> reply);
    }

    private final SimulatedNetwork network;
    private final Process from;
    private final Process to;
    private final ToLongFunction<A> size;
    private final BiConsumer<A, OxbowException> then;
    private final Runnable released;
    private final Cancellation remote = new Cancellation();
    private Cancellation given;
    private long wait;
    private boolean done;

    private A answer;

    /** {@code size} counts the bytes of an answer; {@code released} frees one that nobody gets. */
    Exchange(
            SimulatedNetwork network,
            Process from,
            Process to,
            ToLongFunction<A> size,
            BiConsumer<A, OxbowException> then,
            Consumer<A> discard) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.size = size;
        this.then = then;
        this.released = () -> {
            if (answer != null) discard.accept(answer);
        };
    }

    /** Begins; {@code cancellation} and {@code deadline} may be null. */
    void begin(long bytes, Cancellation cancellation, Duration deadline, Handler<A> handler) {
        given = cancellation;
        if (cancellation != null) {
            wait = cancellation.register(this::giveUp);
            if (wait < 0) {
                network.soon(() -> then.accept(null, cancellation.reason()));
                return;
            }
        }
        network.begun(this);
        if (network.isClosing()) {
            finish(null, new OxbowException(CANCELLED, "the simulation has ended"));
            return;
        }
        if (deadline != null)
            from.after(
                    deadline,
                    () -> finish(
                            null,
                            new OxbowException(DEADLINE_EXCEEDED, "no answer within " + deadline.toMillis() + " ms")));
        network.travel(from, to, bytes, () -> handler.handle(remote, this::reply));
    }

    private void reply(A a, OxbowException error) {
        answer = a;
        if (done || network.isClosing() || to.isCrashed()) {
            released.run();
            answer = null;
            return;
        }
        network.travel(to, from, SMALL + (a == null ? 0 : size.applyAsLong(a)), () -> finish(a, error));
    }

    private void giveUp(OxbowException why) {
        network.soon(() -> finish(null, why));
        network.travel(from, to, SMALL, () -> remote.cancel(CANCELLED, "the caller has gone or given up"));
    }

    boolean isBetween(Process a, Process b) {
        return from == a && to == b || from == b && to == a;
    }

    /** Adds who is at the other end of a call with this process. */
    void others(Process p, Set<Process> all) {
        if (from == p) all.add(to);
        if (to == p) all.add(from);
    }

    /** One of the two has crashed, and the other has heard of it. */
    void broken(Process crashed) {
        if (crashed == to) finish(null, new OxbowException(UNAVAILABLE, crashed + " closed the connection"));
        else remote.cancel(CANCELLED, "the caller has gone or given up");
    }

    void finish(A a, OxbowException error) {
        if (done) return;
        done = true;
        network.ended(this);
        if (given != null) given.unregister(wait);
        if (a == null) released.run();
        answer = null;
        then.accept(a, error);
    }
}
