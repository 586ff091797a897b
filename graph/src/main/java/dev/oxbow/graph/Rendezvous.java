package dev.oxbow.graph;

import dev.oxbow.tensor.Tensor;

/** Where one step's sends and receives meet by key. */
public interface Rendezvous {
    /** Hands over a tensor (one reference, taken over) or, with null, the news that the value is dead. */
    void send(String key, Tensor value);

    /** Calls {@code then} once when the value is there; it takes over one reference, or null for a dead value. */
    void receive(String key, Receiver then);

    /** Ends every wait with this error, or with the news that the step has ended where that is null, and frees what is left. */
    void end(Throwable why);

    /** Takes the value, or the error that ended the wait. */
    interface Receiver {
        void accept(Tensor value, Throwable error);
    }
}
