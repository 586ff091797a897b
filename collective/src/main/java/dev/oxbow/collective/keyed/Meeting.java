package dev.oxbow.collective.keyed;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

/** Where devices of a cluster find each other for collectives: the service that their ops ask for. Thread-safe. */
public interface Meeting {

    /**
     * Who wants to be in a group.
     *
     * @param device its full name
     * @param rank the rank that it wants, or -1 for the one that follows from the names of all
     * @param patience how long it waits for the others
     */
    record GroupWish(int key, int size, String device, int rank, Duration patience) {}

    /**
     * Who wants to begin a round.
     *
     * @param instance tells the collectives of a group apart
     * @param what the op with its dtype and shape, which all must have alike
     * @param source whether it is the one that the others get a value from
     */
    record RoundWish(KeyedGroup group, int instance, String device, String what, boolean source, Duration patience) {}

    /**
     * One collective of a group.
     *
     * @param number no other round has it
     * @param source the rank of the member that is the source, -1 where none is
     */
    record Round(long number, int source) {}

    /** Gives the group when all have come, or an error that says who has not. */
    void join(GroupWish wish, Cancellation cancellation, BiConsumer<KeyedGroup, OxbowException> then);

    /** Gives the round when all of the group have come for it, or an error that says who has not. */
    void begin(RoundWish wish, Cancellation cancellation, BiConsumer<Round, OxbowException> then);

    /** Where the values of a round meet. */
    Rendezvous rendezvous(Round round);

    /** A device of this process has done its part of a round, or could not; a group that failed is found anew. */
    void ended(RoundWish wish, Round round, OxbowException error);

    /** How long a collective waits that does not say. */
    Duration deadline();

    Future<?> after(Duration delay, Runnable task);

    /** Where elements are combined. */
    Executor threads();
}
