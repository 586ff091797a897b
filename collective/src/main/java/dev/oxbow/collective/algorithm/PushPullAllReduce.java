package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * All-reduce of n workers with k helpers, the last ranks, which have no values and get no result: every worker sends each
 * segment to its owner, owners combine in the order of the ranks and send the result to the workers. Helpers own larger
 * segments, so that all links carry the same: a worker sends its values of others' segments and the result of its own,
 * {@code S + (n - 2) w} bytes, a helper results, {@code n h} bytes, with {@code n w + k h = S}. That is the least that any
 * split can reach: {@code 2 S n (n - 1) / (n^2 + k n - 2 k)} each way. So that they do so all the time, chunks are in proportion to
 * segments and workers keep pace with the helpers, so that all segments end together. More helpers than workers share one worker's load. See
 * Jiang et al., A Unified Architecture for Accelerating Distributed DNN Training (OSDI 2020).
 *
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record PushPullAllReduce(long address, long count, int helpers, long chunk) implements Algorithm {

    /** Chunks of a segment that are under way: a link is to have some while others are combined and on their way back. */
    static final int OPEN = 4;

    public PushPullAllReduce {
        require(helpers >= 0, INVALID_ARGUMENT, "PushPullAllReduce: helpers must be at least 0, got %d", helpers);
    }

    @Override
    public void start(Exchange exchange) {
        int workers = exchange.size() - helpers;
        require(
                workers > 0,
                INVALID_ARGUMENT,
                "PushPullAllReduce: %d helpers of %d ranks leave no worker",
                helpers,
                exchange.size());
        long[] counts = counts(count, workers, helpers, exchange.grain());
        Direct.run(exchange, address, Split.alike(counts, chunk, exchange.grain()), workers, true, OPEN);
    }

    /** Elements of each segment, those of the workers first. */
    static long[] counts(long count, int workers, int helpers, int grain) {
        double n = workers, k = Math.min(helpers, workers), weight = n * n + k * (n - 2);
        double own = workers == 1 && helpers > 0 ? 0 : (n - k) / weight; // of a worker, of all
        long[] counts = new long[workers + helpers];
        long before = 0;
        for (int r = 0; r < counts.length; r++) {
            double after = r < workers ? own * (r + 1) : 1 - (1 - own * n) * (counts.length - 1 - r) / helpers;
            long to = r == counts.length - 1 ? count : Math.min(count, Math.round(after * count / grain) * grain);
            counts[r] = Math.max(0, to - before);
            before = Math.max(before, to);
        }
        return counts;
    }
}
