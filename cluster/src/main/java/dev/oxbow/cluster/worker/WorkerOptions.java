package dev.oxbow.cluster.worker;

import dev.oxbow.graph.Limits;
import dev.oxbow.runtime.SessionOptions;
import java.time.Duration;

/**
 * What a worker allows.
 *
 * @param session how the parts of its sessions are compiled and run
 * @param limits what a registered graph may ask for
 * @param graphs how many graphs one session may have registered
 * @param stepLease how long a step is kept that nobody runs here and nobody asks for
 */
public record WorkerOptions(SessionOptions session, Limits limits, int graphs, Duration stepLease) {
    public static WorkerOptions defaults() {
        return new WorkerOptions(SessionOptions.defaults(), Limits.defaults(), 100_000, Duration.ofMinutes(10));
    }

    public WorkerOptions withStepLease(Duration d) {
        return new WorkerOptions(session, limits, graphs, d);
    }
}
