package dev.oxbow.collective.algorithm;

/**
 * All-reduce by recursive halving, then doubling: ranks exchange halves of what they are responsible for with ever nearer
 * partners, then the results the other way round. 2 log2 P steps; for a power of two each rank sends 2 log2 P messages with
 * 2(P-1)S/P bytes in all. Excess ranks give their buffer to a neighbour first and get the result last: 2 steps and S bytes
 * each way. For commutative reductions; the result does not depend on timing and is equal on all ranks.
 */
public record HalvingDoublingAllReduce(long address, long count) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1 && count > 0) new Run(exchange, flow, address, count).begin();
        });
    }

    private static final class Run {
        private static final int RESULT = 127;

        private final Exchange exchange;
        private final Flow flow;
        private final long address;
        private final long count;
        private final Folding folding;
        private final int node;
        private final Split split;
        private int open;

        Run(Exchange exchange, Flow flow, long address, long count) {
            this.exchange = exchange;
            this.flow = flow;
            this.address = address;
            this.count = count;
            folding = new Folding(exchange.size());
            node = folding.node(exchange.rank());
            split = Split.even(count, folding.nodes(), 0, exchange.grain());
        }

        void begin() {
            int partner = folding.partner(exchange.rank()), half = folding.nodes() / 2;
            if (node < 0) {
                flow.send(partner, 0, address, count, () -> flow.receive(partner, RESULT, address, count, () -> {}));
            } else if (partner >= 0) {
                flow.receiveReduce(partner, 0, address, count, () -> halve(half));
            } else {
                halve(half);
            }
        }

        /** Two blocks of {@code half} segments are left: sends one, combines the other, which holds segment {@code node}. */
        private void halve(int half) {
            if (half == 0) {
                exchange.complete(at(node), split.length(node));
                grow(1);
                return;
            }
            int peer = folding.rank(node ^ half), slot = 1 + Integer.numberOfTrailingZeros(half);
            int mine = node & -half, theirs = mine ^ half;
            open = 2;
            Runnable then = () -> {
                if (--open == 0) halve(half / 2);
            };
            flow.receiveReduce(peer, slot, at(mine), length(mine, half), then);
            flow.send(peer, slot, at(theirs), length(theirs, half), then);
        }

        /** Results of a block of {@code have} segments are there: exchanges them for those of the block next to it. */
        private void grow(int have) {
            if (have == folding.nodes()) {
                int partner = folding.partner(exchange.rank());
                if (partner >= 0) flow.send(partner, RESULT, address, count);
                return;
            }
            int peer = folding.rank(node ^ have), slot = 64 + Integer.numberOfTrailingZeros(have);
            int mine = node & -have, theirs = mine ^ have;
            open = 2;
            Runnable then = () -> {
                if (--open == 0) grow(2 * have);
            };
            flow.receive(peer, slot, at(theirs), length(theirs, have), then);
            flow.send(peer, slot, at(mine), length(mine, have), then);
        }

        private long at(int segment) {
            return address + split.offset(segment) * exchange.width();
        }

        private long length(int segment, int segments) {
            return split.offset(segment + segments - 1) + split.length(segment + segments - 1) - split.offset(segment);
        }
    }
}
