package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

/** What a graph from outside has taken of its limits so far. */
final class Budget {
    private final Limits limits;
    private long constantBytes;
    private long repeatedBytes;
    private long functionNodes;

    Budget(Limits limits) {
        this.limits = limits;
    }

    Limits limits() {
        return limits;
    }

    /** Takes a constant of so many bytes, of which some only repeat a value. */
    synchronized void constant(long bytes, long repeated) {
        require(
                bytes <= limits.constantBytes() - constantBytes,
                RESOURCE_EXHAUSTED,
                "GraphDef: constants take at most %,d bytes, %,d are taken and this one wants %,d",
                limits.constantBytes(),
                constantBytes,
                bytes);
        require(
                repeated <= limits.repeatedBytes() - repeatedBytes,
                RESOURCE_EXHAUSTED,
                "GraphDef: at most %,d bytes of constants repeat a value, %,d do and this one wants %,d",
                limits.repeatedBytes(),
                repeatedBytes,
                repeated);
        constantBytes += bytes;
        repeatedBytes += repeated;
    }

    /** Takes the nodes of a function that is about to be read. */
    synchronized void read(int nodes) {
        functionNodes += nodes;
        require(
                functionNodes <= limits.calledNodes(),
                RESOURCE_EXHAUSTED,
                "functions with their attributes set have at most %,d nodes together, got %,d",
                limits.calledNodes(),
                functionNodes);
    }
}
