package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Workers and parameter servers as tasks of this process, and a thread for each worker. */
final class Team implements AutoCloseable {
    /** The machine may be busy with something else. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1).withCpuDevices(2))
            .withLostAfter(PATIENCE);

    /** What one worker does. */
    @FunctionalInterface
    interface Work<T> {
        T run(int worker) throws Exception;
    }

    final Plan plan;
    final LocalCluster cluster;
    private final ExecutorService threads;

    Team(Plan plan) {
        this(plan, LocalCluster.Links.CALLS);
    }

    Team(Plan plan, LocalCluster.Links links) {
        this.plan = plan;
        this.cluster = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of(
                        "ps", plan.served().servers(), "worker", plan.served().workers())),
                OPTIONS,
                links);
        this.threads = Executors.newFixedThreadPool(plan.served().workers());
    }

    /** The session of a worker, whose steps end within half a minute. */
    Session open(Graph graph, int worker) {
        String target = cluster.server("worker", worker).target();
        return plan.at(target)
                .open(
                        graph,
                        worker,
                        SessionOptions.defaults().withTimeout(PATIENCE).withLostAfter(PATIENCE));
    }

    /** Begins something on a worker's thread. */
    <T> Future<T> begin(int worker, Work<T> work) {
        return threads.submit(() -> work.run(worker));
    }

    /** Runs the same work on all workers and gives their results in order. */
    <T> List<T> run(Work<T> work) {
        List<Future<T>> futures = new ArrayList<>();
        for (int w = 0; w < plan.served().workers(); w++) futures.add(begin(w, work));
        List<T> results = new ArrayList<>();
        Throwable first = null;
        for (Future<T> f : futures) {
            try {
                results.add(f.get(120, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                if (first == null) first = e.getCause();
                else if (first != e.getCause()) first.addSuppressed(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                return fail(e);
            }
        }
        if (first instanceof RuntimeException r) throw r;
        if (first instanceof Error r) throw r;
        return first == null ? results : fail(first);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        cluster.close();
    }
}
