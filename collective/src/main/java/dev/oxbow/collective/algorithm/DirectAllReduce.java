package dev.oxbow.collective.algorithm;

/**
 * Deterministic all-reduce: every rank sends each segment to its owner, owners combine in the order of the ranks and send
 * the result to everyone. The result is {@code ((x0 op x1) op x2) ...} bit for bit on all ranks, so reductions need not be
 * commutative. 2 steps; each rank sends 2(P-1) messages (times the chunks of a segment) with 2(P-1)S/P bytes in all: the
 * ring's bytes, to all peers at once.
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record DirectAllReduce(long address, long count, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Direct.run(exchange, address, Split.even(count, exchange.size(), chunk, exchange.grain()), true);
    }
}
