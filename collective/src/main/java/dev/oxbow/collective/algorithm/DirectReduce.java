package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * Deterministic reduce to a root, which combines the buffers of all ranks in their order and ends with
 * {@code ((x0 op x1) op x2) ...}; the other buffers stay as they are. 1 step; each rank but the root sends S bytes, the root
 * receives (P-1)S. Reductions need not be commutative.
 *
 * @param chunk elements of a message at most, or 0 for one message
 */
public record DirectReduce(long address, long count, int root, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        require(
                root >= 0 && root < exchange.size(),
                INVALID_ARGUMENT,
                "DirectReduce: root must be one of %d ranks, got %d",
                exchange.size(),
                root);
        long[] counts = new long[exchange.size()];
        counts[root] = count;
        new DirectReduceScatter(address, counts, chunk).start(exchange);
    }
}
