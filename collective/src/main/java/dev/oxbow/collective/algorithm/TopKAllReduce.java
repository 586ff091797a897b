package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.combine.Combine;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.util.stream.IntStream;

/**
 * Sum of f32 values of which each rank sends only the {@code k} of largest magnitude, with their indices: ring all-gather of
 * all pairs, which every rank then adds in the order of the ranks. P-1 steps; each rank sends P-1 messages with 8k(P-1) bytes
 * in all. What a rank did not send stays in its residual and is added to its values next time.
 *
 * @param residual memory for {@code count} values that only this tensor uses; infinite and NaN values are not kept there
 */
public record TopKAllReduce(long address, long count, long k, long residual) implements Algorithm {

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
        Combine.sum(DType.F32).combine(address, residual, count);
        TopMagnitudes.choose(address, (int) count, (int) k, own);
        keep(own);
        long[] counts = IntStream.range(0, p).mapToLong(r -> 2 * k).toArray();
        int[] all = IntStream.range(0, p).toArray();
        new RingAllGather(pairs, counts, 0).start(new Part(exchange, all, 0, true, () -> {
            Memory.zero(address, 4 * count);
            for (int r = 0; r < p; r++) add(pairs + 8 * k * r, r);
            exchange.complete(address, count);
            exchange.finish();
        }));
    }

    private void keep(long own) {
        for (long i = 0; i < 4 * count; i += 4) {
            float x = Memory.getFloat(address + i);
            Memory.putFloat(residual + i, Float.isFinite(x) ? x : 0);
        }
        for (long i = 0; i < 4 * k; i += 4) Memory.putFloat(residual + 4L * Memory.getInt(own + i), 0);
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
