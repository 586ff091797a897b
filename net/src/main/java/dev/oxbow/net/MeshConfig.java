package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.time.Duration;

/**
 * How a mesh notices lost peers and bounds what it holds.
 *
 * @param heartbeat a link that was silent for so long sends a sign of life
 * @param lostAfter a peer from which nothing came for so long is lost
 * @param maxMessage the longest message that is accepted
 * @param unexpected bytes held for messages that nobody has asked for yet, per peer; beyond it the link is not read. Each
 *     message counts as 512 bytes more than it has
 */
public record MeshConfig(Duration heartbeat, Duration lostAfter, long maxMessage, long unexpected) {
    /** Signs of life twice a second, loss after 5 s, messages up to 64 GB, 64 MB unexpected. */
    public static final MeshConfig DEFAULT =
            new MeshConfig(Duration.ofMillis(500), Duration.ofSeconds(5), 64L << 30, 64L << 20);

    public MeshConfig {
        require(
                heartbeat.isPositive() && lostAfter.compareTo(heartbeat.multipliedBy(2)) >= 0,
                INVALID_ARGUMENT,
                "MeshConfig: lostAfter must be at least twice heartbeat, got %s and %s",
                lostAfter,
                heartbeat);
        require(
                maxMessage > 0 && unexpected > 0,
                INVALID_ARGUMENT,
                "MeshConfig: maxMessage and unexpected must be positive, got %d and %d",
                maxMessage,
                unexpected);
    }

    public MeshConfig withLiveness(Duration heartbeat, Duration lostAfter) {
        return new MeshConfig(heartbeat, lostAfter, maxMessage, unexpected);
    }
}
