package dev.oxbow.collective.algorithm;

/**
 * All-gather around a ring: the buffer has a segment of {@code counts[r]} elements for each rank r, of which rank r brings
 * segment r in place. P-1 steps; each rank sends P-1 messages (times the chunks of a segment) with about (P-1)S/P bytes.
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record RingAllGather(long address, long[] counts, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        int p = exchange.size();
        Ring.run(exchange, address, Split.of(counts, chunk, exchange.grain()), 0, 0, p - 1);
    }
}
