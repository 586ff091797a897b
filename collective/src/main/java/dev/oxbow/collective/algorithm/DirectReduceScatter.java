package dev.oxbow.collective.algorithm;

/**
 * Deterministic reduce-scatter: the buffer holds a segment of {@code counts[r]} elements for each rank r, and segment r of
 * rank r ends with {@code ((x0 op x1) op x2) ...}; the other segments stay as they are. 1 step; each rank sends P-1
 * messages (times the chunks of a segment) with (P-1)S/P bytes in all.
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record DirectReduceScatter(long address, long[] counts, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Direct.run(exchange, address, Split.of(counts, chunk, exchange.grain()), false);
    }
}
