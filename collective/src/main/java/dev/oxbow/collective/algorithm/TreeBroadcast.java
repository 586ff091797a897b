package dev.oxbow.collective.algorithm;

/**
 * Broadcast from a root down a binary tree. log2 P steps; each rank sends at most 2S bytes and receives S; with C chunks the
 * last rank is done after log2 P + C messages instead of C log2 P.
 *
 * @param chunk elements of a message at most, or 0 for one message
 */
public record TreeBroadcast(long address, long count, int root, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Tree.run(exchange, address, Split.whole(count, chunk, exchange.grain()), root, false, true);
    }
}
