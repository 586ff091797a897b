package dev.oxbow.cluster.master;

import dev.oxbow.graph.Limits;
import dev.oxbow.runtime.SessionOptions;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a master allows.
 *
 * @param session how graphs of sessions are compiled
 * @param limits what the graph of a session may ask for
 * @param programs how many programs a session keeps; then the least recently used goes
 * @param sessions how many sessions there may be at once
 * @param lease how long a session lives whose client's connections have gone
 * @param traceEvery one of so many steps of each kind is traced into a file of {@code traceFolder}; 0 for none
 */
public record MasterOptions(
        SessionOptions session,
        Limits limits,
        int programs,
        int sessions,
        Duration lease,
        int traceEvery,
        Path traceFolder) {
    public static MasterOptions defaults() {
        return new MasterOptions(
                SessionOptions.defaults(), Limits.defaults(), 256, 10_000, Duration.ofSeconds(60), 0, null);
    }

    public MasterOptions withTraces(int every, Path folder) {
        return new MasterOptions(session, limits, programs, sessions, lease, every, folder);
    }

    public MasterOptions withLease(Duration d) {
        return new MasterOptions(session, limits, programs, sessions, d, traceEvery, traceFolder);
    }

    public MasterOptions withPrograms(int most) {
        return new MasterOptions(session, limits, most, sessions, lease, traceEvery, traceFolder);
    }

    public MasterOptions withSession(SessionOptions o) {
        return new MasterOptions(o, limits, programs, sessions, lease, traceEvery, traceFolder);
    }
}
