package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;

/**
 * How tasks hand values to each other.
 *
 * @param on whether they use links; otherwise all goes by calls
 * @param port where to listen for those who want values, 0 for any port
 * @param laneBytes what a ring of shared memory holds, a power of two; 0 for none
 * @param heartbeat a link that was silent for so long sends a sign of life
 * @param lostAfter a link by which nothing came for so long is lost
 */
public record LinkOptions(boolean on, int port, long laneBytes, Duration heartbeat, Duration lostAfter) {
    public LinkOptions {
        require(
                heartbeat.isPositive() && lostAfter.compareTo(heartbeat.multipliedBy(2)) >= 0,
                INVALID_ARGUMENT,
                "links: lostAfter must be at least twice heartbeat, got %s and %s",
                lostAfter,
                heartbeat);
        require(
                laneBytes == 0 || Long.bitCount(laneBytes) == 1 && laneBytes >= 1 << 12 && laneBytes <= 1 << 30,
                INVALID_ARGUMENT,
                "links: laneBytes is 0 or a power of two from 4 KB to 1 GB, got %d",
                laneBytes);
    }

    /** Signs of life twice a second, loss after 5 s, rings of 1 MB. */
    public static LinkOptions defaults() {
        return new LinkOptions(true, 0, 1 << 20, Duration.ofMillis(500), Duration.ofSeconds(5));
    }

    public LinkOptions withOn(boolean yes) {
        return new LinkOptions(yes, port, laneBytes, heartbeat, lostAfter);
    }

    public LinkOptions withPort(int number) {
        return new LinkOptions(on, number, laneBytes, heartbeat, lostAfter);
    }

    public LinkOptions withLaneBytes(long bytes) {
        return new LinkOptions(on, port, bytes, heartbeat, lostAfter);
    }

    /** Has a silent peer be lost after so long; signs of life come four times as often at least. */
    public LinkOptions withLostAfter(Duration d) {
        require(d.isPositive(), INVALID_ARGUMENT, "links: lostAfter must be positive, got %s", d);
        Duration often = d.dividedBy(4);
        return new LinkOptions(on, port, laneBytes, often.compareTo(heartbeat) < 0 ? often : heartbeat, d);
    }
}
