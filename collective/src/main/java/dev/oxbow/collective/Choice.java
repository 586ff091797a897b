package dev.oxbow.collective;

import dev.oxbow.collective.algorithm.Algorithm;

/**
 * How a call is carried out.
 *
 * @param name of the algorithm, for messages and traces
 * @param eager whether the signature goes with the data, for small calls
 */
record Choice(String name, Algorithm algorithm, boolean eager) {
    Choice(String name, Algorithm algorithm) {
        this(name, algorithm, false);
    }

    /** Whether it may be called again while it still runs: cards have an order, in which the host is ahead of them. */
    boolean mayMeetItself() {
        return algorithm instanceof CardCall;
    }
}
