package dev.oxbow.collective.algorithm;

/**
 * Gather to a root: each rank r sends {@code counts[r]} elements, which become segment r of the root's buffer; the root's own
 * segment is in place. 1 step; every other rank sends 1 message, the root receives about (P-1)S/P bytes.
 *
 * @param address the whole buffer on the root, the segment of a rank elsewhere
 */
public record FlatGather(long address, long[] counts, int root) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.rank() != root) {
                flow.send(root, 0, address, counts[exchange.rank()]);
                return;
            }
            Split split = Split.of(counts, 0, 1);
            for (int d = 1; d < exchange.size(); d++) {
                int from = (root + d) % exchange.size();
                flow.receive(from, 0, address + split.offset(from) * exchange.width(), counts[from], () -> {});
            }
        });
    }
}
