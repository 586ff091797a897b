package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.combine.Combine;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Sum of f32 values of which each rank sends only the {@code k} of largest magnitude, with their indices: ring all-gather of
 * all pairs, which every rank then adds in the order of the ranks. P-1 steps; each rank sends P-1 messages with 8k(P-1) bytes
 * in all. What a rank did not send is kept and added to its values next time; infinite and NaN values are not kept.
 *
 * @param kept where that is, for each part of the values; values in no part are never kept
 */
public record TopKAllReduce(long address, long count, long k, List<Kept> kept) implements Algorithm {

    /**
     * What is kept of the values {@code [from, from + count)}, as f32.
     *
     * @param before address of what was kept last time, or 0 for nothing
     * @param after address for what is kept this time, which may be the same
     */
    public record Kept(long from, long count, long before, long after) {}

    public TopKAllReduce {
        require(
                count <= Integer.MAX_VALUE && k <= count && (k > 0 || count == 0),
                INVALID_ARGUMENT,
                "TopKAllReduce: needs 1 <= k <= count < 2^31, got k %d and count %d",
                k,
                count);
    }

    @Override
    public void start(Exchange exchange) {
        int p = exchange.size();
        if (count == 0 || p == 1 && k == count) {
            exchange.finish();
            return;
        }
        long pairs = exchange.scratch(2 * k * p), own = pairs + 8 * k * exchange.rank();
        for (Kept part : kept)
            if (part.before != 0) Combine.sum(DType.F32).combine(address + 4 * part.from, part.before, part.count);
        TopMagnitudes values = new TopMagnitudes();
        long at = 0;
        for (Kept part : kept) {
            values.count(address + 4 * at, part.from - at);
            values.countAndCopy(address + 4 * part.from, part.after, part.count);
            at = part.from + part.count;
        }
        values.count(address + 4 * at, count - at);
        values.choose(address, (int) count, (int) k, own);
        forget(own);
        long[] counts = IntStream.range(0, p).mapToLong(r -> 2 * k).toArray();
        int[] all = IntStream.range(0, p).toArray();
        new RingAllGather(pairs, counts, 0).start(new Part(exchange, all, 0, true, () -> {
            Memory.zero(address, 4 * count);
            for (int r = 0; r < p; r++) add(pairs + 8 * k * r, r);
            exchange.complete(address, count);
            exchange.finish();
        }));
    }

    /** What is sent is not kept. */
    private void forget(long own) {
        long chosen = 0; // ascending, as the parts are
        for (Kept part : kept) {
            for (; chosen < k; chosen++) {
                long index = Memory.getInt(own + 4 * chosen) - part.from;
                if (index >= part.count) break;
                if (index >= 0) Memory.putFloat(part.after + 4 * index, 0);
            }
        }
    }

    private void add(long from, int rank) {
        for (long i = 0; i < 4 * k; i += 4) {
            int index = Memory.getInt(from + i);
            require(
                    index >= 0 && index < count,
                    DATA_LOSS,
                    "TopKAllReduce: rank %d sent index %d of %d values",
                    rank,
                    index,
                    count);
            long at = address + 4L * index;
            Memory.putFloat(at, Memory.getFloat(at) + Memory.getFloat(from + 4 * k + i));
        }
    }
}
