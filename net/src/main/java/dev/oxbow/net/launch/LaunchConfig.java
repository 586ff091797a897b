package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * A job of ranks on this machine and what each of them is told by its environment.
 *
 * @param ranks how many
 * @param rendezvous where rank 0 serves the store at which they meet
 * @param job its name, which no other job on this machine has
 * @param token its secret
 * @param variables further environment variables
 * @param grace how long a rank may take to end after it was asked to, before it is killed
 */
public record LaunchConfig(
        int ranks, HostPort rendezvous, String job, String token, Map<String, String> variables, Duration grace) {

    /** Ports below those that systems give to outgoing connections. */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;
    private static final int TRIES = 100;
    private static final SecureRandom RANDOM = new SecureRandom();

    public LaunchConfig {
        require(ranks > 0, INVALID_ARGUMENT, "launch: a job has at least 1 rank, got %d", ranks);
        require(!grace.isNegative(), INVALID_ARGUMENT, "launch: grace must not be negative, got %s", grace);
        variables = Map.copyOf(variables);
    }

    /** A job with a name and a secret of its own that meets on a free port of loopback; threads are shared out. */
    public static LaunchConfig local(int ranks) {
        byte[] name = new byte[8], token = new byte[32];
        RANDOM.nextBytes(name);
        RANDOM.nextBytes(token);
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / Math.max(1, ranks));
        String given = System.getenv("OXBOW_THREADS");
        return new LaunchConfig(
                ranks,
                new HostPort("127.0.0.1", freePort()),
                "launch-" + HexFormat.of().formatHex(name),
                HexFormat.of().formatHex(token),
                Map.of("OXBOW_THREADS", given == null || given.isBlank() ? Integer.toString(threads) : given),
                Duration.ofSeconds(5));
    }

    public LaunchConfig withRendezvous(HostPort rendezvous) {
        return new LaunchConfig(ranks, rendezvous, job, token, variables, grace);
    }

    /** With one more environment variable. */
    public LaunchConfig with(String variable, String value) {
        Map<String, String> more = new HashMap<>(variables);
        more.put(variable, value);
        return new LaunchConfig(ranks, rendezvous, job, token, more, grace);
    }

    public LaunchConfig withGrace(Duration grace) {
        return new LaunchConfig(ranks, rendezvous, job, token, variables, grace);
    }

    /** What one rank is told, when all ranks are on one host. */
    public Map<String, String> environment(int rank) {
        return environment(rank, rank, ranks);
    }

    /** What one rank is told that is a certain one of those on its host. */
    public Map<String, String> environment(int rank, int localRank, int localSize) {
        Map<String, String> e = new HashMap<>(variables);
        e.put("OXBOW_RANK", Integer.toString(rank));
        e.put("OXBOW_SIZE", Integer.toString(ranks));
        e.put("OXBOW_LOCAL_RANK", Integer.toString(localRank));
        e.put("OXBOW_LOCAL_SIZE", Integer.toString(localSize));
        e.put("OXBOW_RENDEZVOUS", rendezvous.toString());
        e.put("OXBOW_JOB", job);
        e.put("OXBOW_TOKEN", token);
        return e;
    }

    /** A port of loopback that nobody listens on now. */
    private static int freePort() {
        for (int i = 0; i < TRIES; i++) {
            int port = FIRST_PORT + RANDOM.nextInt(PORTS);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException e) {
                if (i == TRIES - 1)
                    throw new OxbowException(UNAVAILABLE, "launch: found no free port, the last was " + port, e);
            }
        }
        throw new AssertionError();
    }
}
