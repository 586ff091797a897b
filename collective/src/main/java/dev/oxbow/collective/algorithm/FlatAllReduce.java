package dev.oxbow.collective.algorithm;

/**
 * All-reduce of small buffers among few ranks: everyone sends its buffer to everyone and combines all of them in the order
 * of the ranks, so the result is the serial one bit for bit. 1 step; each rank sends P-1 messages with (P-1)S bytes in all
 * and combines (P-1)S. Nothing is written before everything has come.
 */
public record FlatAllReduce(long address, long count) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1) new Run(exchange, flow, address, count).begin();
        });
    }

    private static final class Run {
        private final Exchange exchange;
        private final Flow flow;
        private final long address;
        private final long count;
        private final int rank;
        private final int ranks;
        private final long buffers;
        private int missing;

        Run(Exchange exchange, Flow flow, long address, long count) {
            this.exchange = exchange;
            this.flow = flow;
            this.address = address;
            this.count = count;
            rank = exchange.rank();
            ranks = exchange.size();
            buffers = exchange.scratch(count * ranks);
            missing = ranks - 1;
        }

        /** The own buffer is sent from a copy, so that the result may be written while sends are pending. */
        void begin() {
            for (int d = 1; d < ranks; d++) {
                int from = (rank + d) % ranks;
                flow.receive(from, 0, buffer(from), count, this::arrived);
            }
            exchange.copy(address, buffer(rank), count);
            for (int d = 1; d < ranks; d++) flow.send((rank + d) % ranks, 0, buffer(rank), count);
        }

        private void arrived() {
            if (--missing > 0) return;
            if (rank > 0) exchange.copy(buffer(0), address, count);
            for (int r = 1; r < ranks; r++) exchange.reduce(buffer(r), address, count);
            exchange.complete(address, count);
        }

        private long buffer(int r) {
            return buffers + r * count * exchange.width();
        }
    }
}
