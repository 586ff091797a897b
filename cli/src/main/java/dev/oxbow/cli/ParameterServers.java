package dev.oxbow.cli;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.server.ClusterStatus;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.net.Token;
import dev.oxbow.net.launch.KeptProcesses;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.net.launch.LineSink;
import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Outcome;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Parameter servers of this machine, each in a process of its own, for workers that this one starts. */
final class ParameterServers implements AutoCloseable {
    /** The variable that tells workers where the file is that says who the tasks are. */
    static final String CLUSTER = "OXBOW_CLUSTER";

    /** So often in a row a server may fail. */
    private static final int STRIKES = 5;

    private static final Duration GRACE = Duration.ofSeconds(5);

    /** How long steps may run on when servers are to end: nobody is there any more who could end them. */
    private static final String LAST_STEPS = "100ms";

    private final Path file;
    private final AutoCloseable servers;
    private final Supplier<String> failure;
    /** Which server has ended by itself, where that ends the job. */
    private final CompletableFuture<String> ended;

    /**
     * Starts so many for workers that are to be started so, and that show the same token.
     *
     * @param silence how long one may not answer before it is killed and started again; null where the loss of one ends the job
     */
    ParameterServers(int count, LaunchConfig workers, Duration silence, PrintWriter err) {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("ps", count, "worker", workers.ranks()));
        try {
            file = Files.createTempFile("oxbow-cluster", ".json");
            Files.writeString(file, spec.json());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LineSink lines = (rank, error, text) -> {
            if (!error) return; // that it serves, and that it ends
            err.println("[server " + rank + "] " + text);
            err.flush();
        };
        List<String> command =
                JavaCommand.ours(List.of("server", "--cluster", file.toString(), "--job", "ps", "--grace", LAST_STEPS));
        LaunchConfig local = LaunchConfig.local(count);
        LaunchConfig config =
                new LaunchConfig(count, local.rendezvous(), local.job(), workers.token(), local.variables(), GRACE);
        if (silence == null) {
            LocalJob job = LocalJob.start(config, command, lines);
            servers = job;
            failure = () -> null;
            ended = CompletableFuture.supplyAsync(() -> ended(job), Thread::startVirtualThread);
            return;
        }
        Security shown = new Security(null, Token.of(workers.token()));
        ClusterSpec own = ClusterSpec.of(
                "ps",
                IntStream.range(0, count)
                        .mapToObj(k -> spec.address(new TaskName("ps", k)).toString())
                        .toList());
        KeptProcesses all = new KeptProcesses(
                config, command, lines, () -> answering(own, shown, silence), silence, STRIKES, event -> {
                    err.println("oxbow: " + event);
                    err.flush();
                });
        servers = all;
        failure = all::failure;
        ended = CompletableFuture.completedFuture(null);
    }

    private static String ended(LocalJob job) {
        try {
            return job.await() instanceof Outcome.Failed f
                    ? "server %d (process %d) %s".formatted(f.rank(), f.pid(), f.how())
                    : null;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // nobody interrupts it
        }
    }

    /** Ends all of them, and says which one had ended before that; null where none had. */
    String end() {
        close();
        return ended.join();
    }

    private static Set<Integer> answering(ClusterSpec spec, Security shown, Duration silence) {
        Set<Integer> there = new HashSet<>();
        ClusterStatus.ask(spec, shown, silence.dividedBy(2)).forEach((task, answer) -> {
            if (answer.error() == null) there.add(task.task());
        });
        return there;
    }

    /** Why one of them is given up; null where none is. */
    String failure() {
        return failure.get();
    }

    /** How workers are started that find them. */
    LaunchConfig workers(LaunchConfig config) {
        return config.with(CLUSTER, file.toString());
    }

    /** The task of a worker, in its own process, with so many devices. */
    static Server task(int worker, int devices) {
        String file = System.getenv(CLUSTER);
        require(
                file != null,
                FAILED_PRECONDITION,
                "environment: %s is not set, so workers do not know where parameter servers are: name a file of the"
                        + " cluster by it, whose tasks of job ps oxbow server has started",
                CLUSTER);
        try {
            ClusterSpec spec = ClusterSpec.json(Files.readString(Path.of(file)));
            return new Server(
                    spec,
                    new TaskName("worker", worker),
                    ServerOptions.defaults()
                            .withToken(token())
                            .withEngine(EngineOptions.defaults().withCpuDevices(devices)));
        } catch (IOException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "environment: %s: can not read %s: %s".formatted(CLUSTER, file, e), e);
        }
    }

    /** What tasks of the job show each other, and clients show them. */
    static Token token() {
        return Token.of(System.getenv("OXBOW_TOKEN"));
    }

    @Override
    public void close() {
        try {
            servers.close();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
