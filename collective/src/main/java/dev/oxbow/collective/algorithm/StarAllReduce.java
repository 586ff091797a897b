package dev.oxbow.collective.algorithm;

/**
 * Serial all-reduce through one master, rank 0, which combines in the order of the ranks and sends the result back. 2(P-1)
 * steps; the master sends and receives (P-1)S bytes each, every other rank S. Equal to the serial result bit for bit.
 *
 * @param chunk elements of a message at most, or 0 for one message
 */
public record StarAllReduce(long address, long count, long chunk) implements Algorithm {

    /** Chunks that the master combines at the same time. */
    private static final int OPEN = 4;

    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> new Run(exchange, flow, Split.whole(count, chunk, exchange.grain())).begin());
    }

    private final class Run {
        private final Exchange exchange;
        private final Flow flow;
        private final Split split;
        private final int chunks;

        Run(Exchange exchange, Flow flow, Split split) {
            this.exchange = exchange;
            this.flow = flow;
            this.split = split;
            chunks = split.chunks(0);
        }

        void begin() {
            if (exchange.size() == 1) return;
            boolean isMaster = exchange.rank() == 0;
            for (int c = 0; c < (isMaster ? Math.min(OPEN, chunks) : chunks); c++) {
                if (isMaster) take(c, 1);
                else contribute(c);
            }
        }

        private void contribute(int c) {
            long at = at(c), length = split.length(0, c);
            flow.send(0, 2 * c, at, length, () -> flow.receive(0, 2 * c + 1, at, length, () -> {}));
        }

        private void take(int c, int from) {
            long at = at(c), length = split.length(0, c);
            if (from < exchange.size()) {
                flow.receiveReduce(from, 2 * c, at, length, () -> take(c, from + 1));
                return;
            }
            exchange.complete(at, length);
            for (int to = 1; to < exchange.size(); to++) flow.send(to, 2 * c + 1, at, length);
            if (c + OPEN < chunks) take(c + OPEN, 1);
        }

        private long at(int c) {
            return address + split.at(0, c) * exchange.width();
        }
    }
}
