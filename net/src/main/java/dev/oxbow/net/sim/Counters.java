package dev.oxbow.net.sim;

/**
 * What went over a simulated wire in one direction.
 *
 * @param bytes what the user wrote
 * @param segments the pieces that it was sent in: one per flush, or more for more than 64 KB
 * @param retransmitted segments that were sent again
 * @param datagrams everything that was sent, with acknowledgements
 * @param lost datagrams that did not arrive, for whatever reason
 * @param duplicated datagrams that were sent once and came twice
 * @param reordered datagrams that were held up
 */
public record Counters(
        long bytes, long segments, long retransmitted, long datagrams, long lost, long duplicated, long reordered) {
    static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0, 0);

    Counters plus(Counters c) {
        return new Counters(
                bytes + c.bytes,
                segments + c.segments,
                retransmitted + c.retransmitted,
                datagrams + c.datagrams,
                lost + c.lost,
                duplicated + c.duplicated,
                reordered + c.reordered);
    }
}
