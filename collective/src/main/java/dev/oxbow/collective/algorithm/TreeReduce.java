package dev.oxbow.collective.algorithm;

/**
 * Reduce to a root up a binary tree; the buffers of the others are left with partial results. log2 P steps; each rank but
 * the root sends S bytes, and receives at most 2S. For commutative reductions; the result does not depend on timing.
 *
 * @param chunk elements of a message at most, or 0 for one message
 */
public record TreeReduce(long address, long count, int root, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Tree.run(exchange, address, Split.whole(count, chunk, exchange.grain()), root, true, false);
    }
}
