package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * All-reduce for ranks on several hosts: ring reduce-scatter inside each host, ring all-reduces between the hosts, ring
 * all-gather inside each host. With H hosts of L ranks each rank sends 2(L-1)S/L bytes inside its host and 2(H-1)S/(HL) to
 * another; 2(L-1) + 2(H-1) steps. A host sends 2(H-1)S/H bytes in all, where a ring over all ranks sends 2(P-1)S/P at least.
 * Hosts may have different numbers of ranks: with the least of them, L, only L ranks of each host talk to other hosts. For
 * commutative reductions; the result does not depend on timing and is equal on all ranks.
 *
 * @param hostOf the host of each rank; hosts are any numbers
 * @param chunk elements of a message at most, or 0 for one message per segment
 */
public record HierarchicalAllReduce(long address, long count, int[] hostOf, long chunk) implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        require(
                hostOf.length == exchange.size(),
                INVALID_ARGUMENT,
                "HierarchicalAllReduce: needs the host of each of %d ranks, got %d",
                exchange.size(),
                hostOf.length);
        int[] hosts = Arrays.stream(hostOf).distinct().toArray();
        int[] inside = on(hostOf[exchange.rank()]);
        if (hosts.length == 1 || inside.length == 1 && hosts.length == hostOf.length) {
            new RingAllReduce(address, count, chunk).start(exchange);
            return;
        }
        int links = Arrays.stream(hosts).map(h -> on(h).length).min().orElseThrow();
        Split split = Split.even(count, links, chunk, exchange.grain());
        long[] counts = Arrays.copyOf(split.counts(), inside.length);
        Algorithm scatter = new RingReduceScatter(address, counts, chunk);
        Algorithm gather = new RingAllGather(address, counts, chunk);
        scatter.start(new Part(
                exchange,
                inside,
                0,
                false,
                () -> between(
                        exchange,
                        hosts,
                        inside,
                        split,
                        () -> gather.start(new Part(exchange, inside, 2, false, exchange::finish)))));
    }

    /** All-reduces the segment of this rank with the ranks of the same number on the other hosts. */
    private void between(Exchange exchange, int[] hosts, int[] inside, Split split, Runnable next) {
        int link = Arrays.binarySearch(inside, exchange.rank());
        if (link >= split.parts()) {
            next.run();
            return;
        }
        int[] members = Arrays.stream(hosts).map(h -> on(h)[link]).toArray();
        long at = address + split.offset(link) * exchange.width();
        new RingAllReduce(at, split.length(link), chunk).start(new Part(exchange, members, 1, true, next));
    }

    /** The ranks on a host, in order. */
    private int[] on(int host) {
        return IntStream.range(0, hostOf.length).filter(r -> hostOf[r] == host).toArray();
    }
}
