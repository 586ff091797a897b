package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.MeshConfig;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How a communicator works.
 *
 * @param mesh liveness and bounds of the messages below
 * @param deadline of calls that have none of their own: how long all ranks may take to make one, and then nothing may move
 * @param stallAfter a call that has run so long, or a third of its deadline, is reported once
 * @param grace how long survivors of a failure tell each other what they know, and a call may end without a lost peer
 * @param deterministic whether every result is the same bit for bit whatever the timing
 * @param measure whether links are measured at the start, to choose algorithms by; never in deterministic mode
 * @param traceSpans how many spans are kept for {@link Trace}
 * @param stalls is told each report of a stalled call
 */
public record CommunicatorConfig(
        MeshConfig mesh,
        Duration deadline,
        Duration stallAfter,
        Duration grace,
        boolean deterministic,
        boolean measure,
        int traceSpans,
        Consumer<String> stalls) {

    /** Deadlines of 30 s, reports after 10 s, 1 s of grace, measured, 16,384 spans. */
    public static final CommunicatorConfig DEFAULT = new CommunicatorConfig(
            MeshConfig.DEFAULT,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            false,
            true,
            1 << 14,
            _ -> {});

    public CommunicatorConfig {
        require(
                deadline.isPositive() && stallAfter.isPositive() && grace.isPositive(),
                INVALID_ARGUMENT,
                "CommunicatorConfig: deadline, stallAfter and grace must be positive, got %s, %s and %s",
                deadline,
                stallAfter,
                grace);
        require(
                traceSpans >= 0,
                INVALID_ARGUMENT,
                "CommunicatorConfig: traceSpans must not be negative, got %d",
                traceSpans);
    }

    public CommunicatorConfig withMesh(MeshConfig mesh) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    public CommunicatorConfig withDeadline(Duration deadline) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    public CommunicatorConfig withGrace(Duration grace) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    public CommunicatorConfig withDeterministic(boolean deterministic) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    public CommunicatorConfig withMeasure(boolean measure) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    public CommunicatorConfig withTraceSpans(int traceSpans) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }

    /** Reports of stalled calls, after {@code stallAfter}, go to a listener besides the log. */
    public CommunicatorConfig withStalls(Duration stallAfter, Consumer<String> stalls) {
        return new CommunicatorConfig(mesh, deadline, stallAfter, grace, deterministic, measure, traceSpans, stalls);
    }
}
