package dev.oxbow.collective.algorithm;

/**
 * All-to-all with splits: segment q of rank p's input becomes segment p of rank q's output. P-1 steps, in step d with the
 * rank d further on, a few of them at the same time; each rank sends P-1 messages with (P-1)S/P bytes if splits are even.
 * Input and output may be the same memory, which costs a copy of the input.
 *
 * @param sends elements of the input for each rank
 * @param receives elements of the output from each rank; {@code sends[q]} of rank p is {@code receives[p]} of rank q
 */
public record PairwiseAllToAll(long input, long[] sends, long output, long[] receives) implements Algorithm {

    private static final int OPEN = 4;

    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> new Run(exchange, flow, this).begin());
    }

    private static final class Run {
        private final Exchange exchange;
        private final Flow flow;
        private final Split from;
        private final Split to;
        private final long output;
        private final int rank;
        private final int ranks;
        private long input;
        private int step;

        Run(Exchange exchange, Flow flow, PairwiseAllToAll task) {
            this.exchange = exchange;
            this.flow = flow;
            from = Split.of(task.sends, 0, 1);
            to = Split.of(task.receives, 0, 1);
            input = task.input;
            output = task.output;
            rank = exchange.rank();
            ranks = exchange.size();
        }

        void begin() {
            if (input == output && from.count() > 0) {
                long copy = exchange.scratch(from.count());
                exchange.copy(input, copy, from.count());
                input = copy;
            }
            for (int d = 1; d < ranks; d++) {
                int peer = Math.floorMod(rank - d, ranks);
                flow.receive(peer, 0, output + to.offset(peer) * exchange.width(), to.length(peer), () -> {});
            }
            exchange.copy(input + at(rank), output + to.offset(rank) * exchange.width(), from.length(rank));
            for (int i = 0; i < OPEN; i++) next();
        }

        /** Begins the next step that has something to send. */
        private void next() {
            while (++step < ranks) {
                int peer = (rank + step) % ranks;
                if (from.length(peer) == 0) continue;
                flow.send(peer, 0, input + at(peer), from.length(peer), this::next);
                return;
            }
        }

        private long at(int segment) {
            return from.offset(segment) * exchange.width();
        }
    }
}
