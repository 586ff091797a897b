package dev.oxbow.ops.dataset;

/** A walk over a data set. One element is asked for at a time. */
interface Elements {

    /** Asks for the next element, which comes to {@code taker}, now or later. */
    void next(Turn turn, Taker taker);

    /** Frees what it holds. */
    default void close() {}
}
