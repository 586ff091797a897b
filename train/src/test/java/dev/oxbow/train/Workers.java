package dev.oxbow.train;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.net.memory.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The processes of a job as threads of this one. */
final class Workers {
    private Workers() {}

    /** What one worker does. */
    @FunctionalInterface
    interface Work<T> {
        T run(Communicator job) throws Exception;
    }

    /** Runs the same work on so many workers of a new job and gives their results in order. */
    static <T> List<T> run(int size, Work<T> work) throws Exception {
        List<Communicator> jobs = new ArrayList<>();
        for (Network n : Network.mesh(size))
            jobs.add(Communicator.start(n, CommunicatorConfig.DEFAULT.withMeasure(false)));
        try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
            List<Future<T>> futures = new ArrayList<>();
            for (Communicator job : jobs) futures.add(threads.submit(() -> work.run(job)));
            List<T> results = new ArrayList<>();
            for (Future<T> f : futures) results.add(f.get(60, TimeUnit.SECONDS));
            return results;
        } finally {
            jobs.forEach(Communicator::close);
        }
    }
}
