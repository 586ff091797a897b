package dev.oxbow.cluster.link;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.Tensor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A value of another task that somebody waits for. */
final class Wanted {
    private static final Logger LOG = LoggerFactory.getLogger(Wanted.class);

    final long step;
    final String key;
    final Cancellation cancellation;
    private final Rendezvous.Receiver then;
    private long wait = -1;
    private boolean ended;

    /** Its number on the line that it was asked for by, from 1 on. */
    long id;

    /** Where the value goes once it is known, and how much of it has come. */
    Tensor value;

    long got;

    Wanted(long step, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        this.step = step;
        this.key = key;
        this.cancellation = cancellation;
        this.then = then;
    }

    /** Has {@code giveUp} called when the token is cancelled; false, and at an end, when it is already. */
    boolean register(Runnable giveUp) {
        if (cancellation == null) return true;
        wait = cancellation.register(_ -> giveUp.run());
        if (wait >= 0) return true;
        end(null, cancellation.reason());
        return false;
    }

    boolean isEnded() {
        return ended;
    }

    /** Hands the value or the error over, once. */
    void end(Tensor result, Throwable error) {
        if (value != null && value != result) value.release();
        value = null;
        if (ended) {
            if (result != null) result.release();
            return;
        }
        ended = true;
        if (cancellation != null) cancellation.unregister(wait);
        try {
            then.accept(result, error);
        } catch (RuntimeException e) {
            LOG.error("step {}: who waited for {} failed", step, key, e);
        }
    }

    /** Leaves it to somebody else, unless it has ended. */
    boolean hand(Way.Calls other) {
        if (ended) return false;
        ended = true;
        if (cancellation != null) cancellation.unregister(wait);
        other.receive(step, key, cancellation, then);
        return true;
    }
}
