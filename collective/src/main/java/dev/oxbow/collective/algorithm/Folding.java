package dev.oxbow.collective.algorithm;

/**
 * Any number of ranks as a power of two: of the first 2x ranks, x being the excess, each odd one gives its values to the
 * even one before it, which stands for both. The order of the ranks is kept.
 */
record Folding(int ranks) {

    /** How many ranks take part: the largest power of two. */
    int nodes() {
        return Integer.highestOneBit(ranks);
    }

    private int excess() {
        return ranks - nodes();
    }

    /** The number of a rank among those that take part, or -1. */
    int node(int rank) {
        if (rank >= 2 * excess()) return rank - excess();
        return rank % 2 == 0 ? rank / 2 : -1;
    }

    int rank(int node) {
        return node < excess() ? 2 * node : node + excess();
    }

    /** The other rank of a folded pair, or -1. */
    int partner(int rank) {
        return rank < 2 * excess() ? rank ^ 1 : -1;
    }
}
