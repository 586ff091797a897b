package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

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
 * @param traceFiles how many traces the folder keeps; then the oldest goes
 * @param costFolder where what graphs cost is kept for the next life of the task; null for memory only
 */
public record MasterOptions(
        SessionOptions session,
        Limits limits,
        int programs,
        int sessions,
        Duration lease,
        int traceEvery,
        Path traceFolder,
        int traceFiles,
        Path costFolder) {

    /** What a folder of traces holds unless somebody says otherwise: a few hundred MB of large steps. */
    private static final int TRACE_FILES = 100;

    public MasterOptions {
        require(lease.isPositive(), INVALID_ARGUMENT, "master: the lease of a session must be positive, got %s", lease);
        require(traceEvery >= 0, INVALID_ARGUMENT, "master: one of %d steps can not be traced", traceEvery);
        require(traceFiles > 0, INVALID_ARGUMENT, "master: a folder of traces holds at least one, got %d", traceFiles);
    }

    public static MasterOptions defaults() {
        return new MasterOptions(
                SessionOptions.defaults(),
                Limits.defaults(),
                256,
                10_000,
                Duration.ofSeconds(60),
                0,
                null,
                TRACE_FILES,
                null);
    }

    public MasterOptions withTraces(int every, Path folder) {
        return new MasterOptions(session, limits, programs, sessions, lease, every, folder, traceFiles, costFolder);
    }

    public MasterOptions withLease(Duration d) {
        return new MasterOptions(
                session, limits, programs, sessions, d, traceEvery, traceFolder, traceFiles, costFolder);
    }

    public MasterOptions withPrograms(int most) {
        return new MasterOptions(
                session, limits, most, sessions, lease, traceEvery, traceFolder, traceFiles, costFolder);
    }

    public MasterOptions withSession(SessionOptions o) {
        return new MasterOptions(o, limits, programs, sessions, lease, traceEvery, traceFolder, traceFiles, costFolder);
    }

    /** Has the folder of traces keep so many. */
    public MasterOptions withTraceFiles(int most) {
        return new MasterOptions(session, limits, programs, sessions, lease, traceEvery, traceFolder, most, costFolder);
    }

    /** Keeps what graphs cost in a folder, too. */
    public MasterOptions withCostFolder(Path folder) {
        return new MasterOptions(
                session, limits, programs, sessions, lease, traceEvery, traceFolder, traceFiles, folder);
    }
}
