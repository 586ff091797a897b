package dev.oxbow.collective.algorithm;

/**
 * Scatter from a root: it sends {@code counts[r]} elements, the segments of its buffer, to each rank r; its own segment stays
 * in place. 1 step; the root sends P-1 messages with about (P-1)S/P bytes.
 *
 * @param address the whole buffer on the root, the segment of a rank elsewhere
 */
public record FlatScatter(long address, long[] counts, int root) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.rank() != root) {
                flow.receive(root, 0, address, counts[exchange.rank()], () -> {});
                return;
            }
            Split split = Split.of(counts, 0, 1);
            for (int d = 1; d < exchange.size(); d++) {
                int to = (root + d) % exchange.size();
                flow.send(to, 0, address + split.offset(to) * exchange.width(), counts[to]);
            }
        });
    }
}
