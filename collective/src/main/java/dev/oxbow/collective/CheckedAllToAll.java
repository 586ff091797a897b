package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;

/**
 * All-to-all that compares what each rank sends with what the other expects before it moves data. P-1 messages of one number
 * each in 1 step, then {@link PairwiseAllToAll}.
 */
record CheckedAllToAll(Group group, long input, long[] sends, long output, long[] receives) implements Algorithm {
    private static final int COUNTS = Integer.MIN_VALUE;

    @Override
    public void start(Exchange exchange) {
        if (exchange.size() == 1) {
            move(exchange);
            return;
        }
        int words = Math.max(1, Long.BYTES / exchange.width());
        long bytes = (long) words * exchange.width();
        int p = exchange.size(), me = exchange.rank();
        long memory = exchange.scratch(2L * p * words);
        int[] open = {2 * (p - 1)};
        Runnable ended = () -> {
            if (--open[0] == 0) move(exchange);
        };
        for (int r = 0; r < p; r++) {
            if (r == me) continue;
            int from = r;
            exchange.receive(r, COUNTS, memory + (p + r) * bytes, words, () -> {
                check(from, Memory.getLong(memory + (p + from) * bytes));
                ended.run();
            });
        }
        for (int r = 0; r < p; r++) {
            if (r == me) continue;
            Memory.putLong(memory + r * bytes, sends[r]);
            exchange.send(r, COUNTS, memory + r * bytes, words, ended);
        }
    }

    private void check(int from, long count) {
        if (count == receives[from]) return;
        throw new OxbowException(
                        INVALID_ARGUMENT,
                        "sends %d elements to rank %d, which expects %d"
                                .formatted(count, group.jobRank(), receives[from]))
                .by(group.jobRank(from));
    }

    private void move(Exchange exchange) {
        new PairwiseAllToAll(input, sends, output, receives).start(exchange);
    }
}
