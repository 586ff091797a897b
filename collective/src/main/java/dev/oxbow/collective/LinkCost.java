package dev.oxbow.collective;

import dev.oxbow.collective.cost.CostModel;
import dev.oxbow.net.Transport;
import java.util.stream.IntStream;

/**
 * What a message costs: seconds for the first byte, and bytes in a second.
 *
 * {@snippet :
 * static double seconds(Communicator all, long bytes) {
 *     LinkCost cost = all.linkCost();
 *     return cost == null ? 0 : cost.latency() + bytes / cost.bytesPerSecond();
 * }
 * }
 */
public record LinkCost(double latency, double bytesPerSecond) {

    /** As it was measured, of links between hosts where there are several; null where nothing was. */
    static LinkCost of(CostModel measured, Transport transport) {
        if (measured == CostModel.DEFAULT) return null;
        boolean far = IntStream.range(0, transport.size()).anyMatch(r -> transport.host(r) != transport.host(0));
        CostModel.Link link = far ? measured.between() : measured.inside();
        return new LinkCost(link.latency(), link.bandwidth());
    }
}
