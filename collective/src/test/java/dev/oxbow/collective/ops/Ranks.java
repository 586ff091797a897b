package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.graph.Graph;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.memory.Network;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ranks as threads of this process, each with a communicator and sessions of its own. */
final class Ranks implements AutoCloseable {
    static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .withDeadline(Duration.ofSeconds(60))
            .withMeasure(false);

    /** One rank. */
    record Rank(Communicator communicator, Groups groups) {
        int number() {
            return communicator.rank();
        }

        int size() {
            return communicator.size();
        }

        Session open(Graph graph) {
            return Session.open(graph, EngineOptions.defaults().withThreads(1), options());
        }

        SessionOptions options() {
            return SessionOptions.defaults().withService(Groups.class, groups);
        }
    }

    /** What one rank does. */
    @FunctionalInterface
    interface Work<T> {
        T run(Rank rank) throws Exception;
    }

    private final List<Rank> ranks = new ArrayList<>();
    private final ExecutorService threads;

    Ranks(int size) {
        this(size, CONFIG);
    }

    Ranks(int size, CommunicatorConfig config) {
        threads = Executors.newFixedThreadPool(size);
        for (Network n : Network.mesh(size)) {
            Communicator c = Communicator.start(n, config);
            ranks.add(new Rank(c, Groups.of(c)));
        }
    }

    /** Runs the same work on all ranks and gives their results in order. */
    <T> List<T> run(Work<T> work) {
        List<Future<T>> futures = new ArrayList<>();
        for (Rank r : ranks) futures.add(threads.submit(() -> work.run(r)));
        List<T> results = new ArrayList<>();
        for (Future<T> f : futures) {
            try {
                results.add(f.get(120, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException r) throw r;
                if (e.getCause() instanceof Error r) throw r;
                return fail(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                return fail(e);
            }
        }
        return results;
    }

    @Override
    public void close() {
        threads.shutdown();
        for (Rank r : ranks) r.communicator().close();
    }
}
