package dev.oxbow.graph;

/** An op that can compute one of its inputs itself, piece by piece, so that the whole of it never lies in memory. */
public interface Absorbing extends Op {

    /**
     * The op that does what {@code maker} and this one do, with the inputs of {@code maker} in the place of {@code input};
     * null when there is none or it would not pay.
     */
    Op absorbing(int input, Node maker);
}
