package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Map;
import java.util.Optional;

/**
 * Which rank of which job this process is, as its launcher said by environment variables.
 *
 * @param rank this process, from 0
 * @param size the processes of the job
 * @param localRank this process among those on its host
 * @param localSize the processes on its host, as far as the launcher says
 * @param rendezvous where ranks meet: {@code host:port} of rank 0, {@code file:/directory}, or empty when not known
 * @param job the job's name, the same on all ranks
 * @param token the job's secret
 * @param source who said so, for messages
 */
public record RankEnvironment(
        int rank,
        int size,
        int localRank,
        int localSize,
        Optional<String> rendezvous,
        String job,
        Token token,
        String source) {

    public RankEnvironment {
        require(size > 0, INVALID_ARGUMENT, "%s: size must be at least 1, got %d", source, size);
        require(rank >= 0 && rank < size, INVALID_ARGUMENT, "%s: rank %d is not within 0..%d", source, rank, size - 1);
        require(
                localSize > 0 && localSize <= size,
                INVALID_ARGUMENT,
                "%s: local size %d is not within 1..%d",
                source,
                localSize,
                size);
        require(
                localRank >= 0 && localRank < localSize,
                INVALID_ARGUMENT,
                "%s: local rank %d is not within 0..%d",
                source,
                localRank,
                localSize - 1);
        require(
                localRank <= rank,
                INVALID_ARGUMENT,
                "%s: local rank %d is larger than rank %d",
                source,
                localRank,
                rank);
        rendezvous.filter(r -> !isFile(r)).ifPresent(HostPort::parse);
    }

    /** Reads this process's environment. */
    public static RankEnvironment current() {
        return from(System.getenv());
    }

    /**
     * Reads the variables of the innermost launcher that set any: Oxbow's own, torchrun's, Open MPI's, Slurm's or a
     * Kubernetes indexed job's. {@code OXBOW_RENDEZVOUS}, {@code OXBOW_PORT}, {@code OXBOW_JOB} and {@code OXBOW_TOKEN}
     * or {@code OXBOW_TOKEN_FILE} add to each of them. Without any, the process is a job of one rank.
     */
    public static RankEnvironment from(Map<String, String> variables) {
        return Launcher.read(new Variables(variables));
    }

    /** The directory of a file rendezvous. */
    public Optional<String> directory() {
        return rendezvous.filter(RankEnvironment::isFile).map(r -> r.substring("file:".length()));
    }

    /** The address of rank 0's store. */
    public Optional<HostPort> address() {
        return rendezvous.filter(r -> !isFile(r)).map(HostPort::parse);
    }

    private static boolean isFile(String rendezvous) {
        return rendezvous.startsWith("file:");
    }
}
