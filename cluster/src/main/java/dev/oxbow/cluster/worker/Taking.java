package dev.oxbow.cluster.worker;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** Somebody else who waits for a value of a step, and may give up. */
final class Taking implements Rendezvous.Receiver {
    private final StepRendezvous from;
    private final String key;
    private final Cancellation cancellation;
    private final Rendezvous.Receiver then;
    private long wait = -1;

    /** {@code cancellation} may be null. */
    Taking(StepRendezvous from, String key, Cancellation cancellation, Rendezvous.Receiver then) {
        this.from = from;
        this.key = key;
        this.cancellation = cancellation;
        this.then = then;
    }

    void start() {
        if (cancellation != null) {
            wait = cancellation.register(this::giveUp);
            if (wait < 0) {
                then.accept(null, cancellation.reason());
                return;
            }
        }
        from.take(key, this);
        if (cancellation != null && cancellation.isCancelled()) giveUp(cancellation.reason());
    }

    private void giveUp(OxbowException reason) {
        if (from.withdraw(key, this)) then.accept(null, reason);
    }

    @Override
    public void accept(Tensor value, Throwable error) {
        if (cancellation != null) cancellation.unregister(wait);
        then.accept(value, error);
    }
}
