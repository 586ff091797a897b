package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.memory.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The processes of a job as threads of this one, each with a communicator of its own. */
final class Workers implements AutoCloseable {
    private static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .withDeadline(Duration.ofSeconds(30))
            .withMeasure(false);

    /** What one worker does. */
    @FunctionalInterface
    interface Work<T> {
        T run(Communicator job) throws Exception;
    }

    private final List<Communicator> jobs = new ArrayList<>();
    private final ExecutorService threads;

    Workers(int size) {
        threads = Executors.newFixedThreadPool(size);
        for (Network n : Network.mesh(size)) jobs.add(Communicator.start(n, CONFIG));
    }

    /** Runs the same work on all workers and gives their results in order. */
    <T> List<T> run(Work<T> work) {
        List<Future<T>> futures = new ArrayList<>();
        for (Communicator c : jobs) futures.add(threads.submit(() -> work.run(c)));
        List<T> results = new ArrayList<>();
        Throwable first = null;
        for (Future<T> f : futures) {
            try {
                results.add(f.get(120, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                if (first == null) first = e.getCause();
                else first.addSuppressed(e.getCause());
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
        threads.shutdown();
        for (Communicator c : jobs) c.close();
    }
}
