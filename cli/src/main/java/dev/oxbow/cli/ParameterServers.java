package dev.oxbow.cli;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.net.Token;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.LocalJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Parameter servers of this machine, each in a process of its own, for workers that this one starts. */
final class ParameterServers implements AutoCloseable {
    /** The variable that tells workers where the file is that says who the tasks are. */
    static final String CLUSTER = "OXBOW_CLUSTER";

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Path file;
    private final LocalJob servers;

    /** Starts so many for workers that are to be started so, and that show the same token. */
    ParameterServers(int count, LaunchConfig workers, PrintWriter err) {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("ps", count, "worker", workers.ranks()));
        try {
            file = Files.createTempFile("oxbow-cluster", ".json");
            Files.writeString(file, json(spec));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LineSink lines = (rank, error, text) -> {
            if (!error) return; // that it serves, and that it ends
            err.println("[server " + rank + "] " + text);
            err.flush();
        };
        List<String> command = JavaCommand.ours(List.of("server", "--cluster", file.toString(), "--job", "ps"));
        LaunchConfig own = LaunchConfig.local(count);
        LaunchConfig config =
                new LaunchConfig(count, own.rendezvous(), own.job(), workers.token(), own.variables(), GRACE);
        servers = LocalJob.start(config, command, lines);
    }

    private static String json(ClusterSpec spec) {
        return spec.tasks().stream()
                .collect(Collectors.groupingBy(
                        TaskName::job,
                        Collectors.mapping(t -> "\"" + spec.address(t) + "\"", Collectors.joining(", ", "[", "]"))))
                .entrySet()
                .stream()
                .map(e -> "\"" + e.getKey() + "\": " + e.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    /** How workers are started that find them. */
    LaunchConfig workers(LaunchConfig config) {
        return config.with(CLUSTER, file.toString());
    }

    /** The task of a worker, in its own process. */
    static Server task(int worker) {
        try {
            ClusterSpec spec = ClusterSpec.json(Files.readString(Path.of(System.getenv(CLUSTER))));
            return new Server(
                    spec,
                    new TaskName("worker", worker),
                    ServerOptions.defaults().withToken(token()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What tasks of the job show each other, and clients show them. */
    static Token token() {
        return Token.of(System.getenv("OXBOW_TOKEN"));
    }

    @Override
    public void close() {
        servers.close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
