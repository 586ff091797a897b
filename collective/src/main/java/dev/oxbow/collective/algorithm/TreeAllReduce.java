package dev.oxbow.collective.algorithm;

/**
 * All-reduce up a binary tree and down again. 2 log2 P steps; a rank sends at most 3S bytes (S up, 2S down) and receives at
 * most 3S, in one message each per chunk; with chunks the levels work at the same time. For commutative reductions; the
 * result does not depend on timing.
 *
 * @param chunk elements of a message at most, or 0 for one message
 */
public record TreeAllReduce(long address, long count, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Tree.run(exchange, address, Split.whole(count, chunk, exchange.grain()), 0, true, true);
    }
}
