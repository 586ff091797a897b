package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.memory.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The ranks of a job as threads of this process, over the in-process network. */
final class Job implements AutoCloseable {
    static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .withDeadline(Duration.ofSeconds(60))
            .withMeasure(false);
    private static final long LIMIT = 120;

    /** What one rank does. */
    @FunctionalInterface
    interface Work<T> {
        T run(Communicator communicator) throws Exception;
    }

    private final List<Communicator> ranks = new ArrayList<>();
    private final ExecutorService threads;

    Job(int size) {
        this(size, CONFIG);
    }

    Job(int size, CommunicatorConfig config) {
        threads = Executors.newFixedThreadPool(size);
        for (Network n : Network.mesh(size)) ranks.add(Communicator.start(n, config));
    }

    Communicator rank(int rank) {
        return ranks.get(rank);
    }

    int size() {
        return ranks.size();
    }

    /** Runs the same work on all ranks and gives their results in order. */
    <T> List<T> run(Work<T> work) {
        List<Future<T>> futures = new ArrayList<>();
        for (Communicator c : ranks) {
            Callable<T> call = () -> work.run(c);
            futures.add(threads.submit(call));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> f : futures) {
            try {
                results.add(f.get(LIMIT, TimeUnit.SECONDS));
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
        for (Communicator c : ranks) c.close();
        for (Communicator c : ranks) assertEquals(0, c.blocks().inUse(), "blocks in use by rank " + c.rank());
    }
}
