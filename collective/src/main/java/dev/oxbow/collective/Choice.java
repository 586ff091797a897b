package dev.oxbow.collective;

/**
 * How a call is carried out.
 *
 * @param name of the algorithm, for messages and traces
 * @param eager whether the signature goes with the data, for small calls
 * @param after what remains to be done on this rank at the end, or {@code null}
 */
record Choice(String name, Algorithm algorithm, boolean eager, Runnable after) {
    Choice(String name, Algorithm algorithm) {
        this(name, algorithm, false, null);
    }
}
