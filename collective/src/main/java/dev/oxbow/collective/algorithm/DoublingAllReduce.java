package dev.oxbow.collective.algorithm;

/**
 * All-reduce of small buffers among many ranks by recursive doubling: in step k ranks whose blocks of 2^k ranks are
 * neighbours exchange what they have. log2 P steps for a power of two, else two more; each rank sends about S log2 P bytes.
 * Blocks are combined in the order of the ranks, so reductions need not be commutative and all ranks end with the same bits,
 * which are not those of the serial result.
 */
public record DoublingAllReduce(long address, long count) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1 && count > 0) new Run(exchange, flow, address, count).begin();
        });
    }

    private static final class Run {
        private static final int RESULT = 63;

        private final Exchange exchange;
        private final Flow flow;
        private final long address;
        private final long count;
        private final Folding folding;
        private final int node;
        private long own;
        private long other;
        private int open;

        Run(Exchange exchange, Flow flow, long address, long count) {
            this.exchange = exchange;
            this.flow = flow;
            this.address = address;
            this.count = count;
            folding = new Folding(exchange.size());
            node = folding.node(exchange.rank());
            own = address;
            other = exchange.scratch(count);
        }

        void begin() {
            int partner = folding.partner(exchange.rank());
            if (node < 0) {
                flow.send(partner, 0, address, count, () -> flow.receive(partner, RESULT, address, count, () -> {}));
            } else if (partner >= 0) {
                flow.receiveReduce(partner, 0, own, count, () -> step(0));
            } else {
                step(0);
            }
        }

        private void step(int k) {
            if (1 << k == folding.nodes()) {
                end();
                return;
            }
            int peer = folding.rank(node ^ 1 << k);
            open = 2;
            flow.receive(peer, 1 + k, other, count, () -> exchanged(k));
            flow.send(peer, 1 + k, own, count, () -> exchanged(k));
        }

        private void exchanged(int k) {
            if (--open > 0) return;
            if ((node & 1 << k) == 0) {
                exchange.reduce(other, own, count);
            } else {
                exchange.reduce(own, other, count);
                long swap = own;
                own = other;
                other = swap;
            }
            step(k + 1);
        }

        private void end() {
            if (own != address) exchange.copy(own, address, count);
            exchange.complete(address, count);
            int partner = folding.partner(exchange.rank());
            if (partner >= 0) flow.send(partner, RESULT, address, count);
        }
    }
}
