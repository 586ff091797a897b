package dev.oxbow.collective.algorithm;

/**
 * Reduce-scatter around a ring: the buffer holds a segment of {@code counts[r]} elements for each rank r, and segment r of
 * rank r ends with the result; the other segments are left with partial results. P-1 steps; each rank sends P-1 messages
 * (times the chunks of a segment) with (P-1)S/P bytes in all. For commutative reductions.
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record RingReduceScatter(long address, long[] counts, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        int p = exchange.size();
        Ring.run(exchange, address, Split.of(counts, chunk, exchange.grain()), -1, p - 1, p - 1);
    }
}
