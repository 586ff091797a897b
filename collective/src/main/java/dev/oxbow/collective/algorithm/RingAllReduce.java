package dev.oxbow.collective.algorithm;

/**
 * All-reduce around a ring: scatter-reduce, then all-gather. 2(P-1) steps; each rank sends 2(P-1) messages (times the
 * chunks of a segment) with 2(P-1)S/P bytes in all, and combines (P-1)S/P bytes. For commutative reductions; the result
 * depends on P and the count alone, not on timing, and is equal on all ranks.
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record RingAllReduce(long address, long count, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        int p = exchange.size();
        Ring.run(exchange, address, Split.even(count, p, chunk, exchange.grain()), 0, p - 1, 2 * (p - 1));
    }
}
