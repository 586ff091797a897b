package dev.oxbow.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.CommunicatorConfig;
import dev.oxbow.net.memory.Network;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example with threads as ranks. */
@Timeout(300)
final class DataParallelTest {
    private static final DataParallel EXAMPLE = new DataParallel(4, 32, 0.1, 1, false);

    private static List<DataParallel.Trained> train(int ranks, boolean deterministic) throws Exception {
        CommunicatorConfig config =
                CommunicatorConfig.DEFAULT.withMeasure(false).withDeterministic(deterministic);
        List<Future<DataParallel.Trained>> running = new ArrayList<>();
        List<DataParallel.Trained> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(ranks)) {
            for (Network n : Network.mesh(ranks)) {
                running.add(threads.submit(() -> {
                    try (Communicator job = Communicator.start(n, config)) {
                        return EXAMPLE.train(job, (_, _) -> {});
                    }
                }));
            }
            for (Future<DataParallel.Trained> f : running) all.add(f.get(60, TimeUnit.SECONDS));
        }
        return all;
    }

    @Test
    void anyNumberOfWorkersEndsWithTheSameParametersOnTheSameBatches() throws Exception {
        DataParallel.Trained one = train(1, false).getFirst();
        assertTrue(one.accuracy() > 0.85, () -> "accuracy " + one.accuracy());
        for (int ranks : new int[] {2, 3, 4}) {
            List<DataParallel.Trained> all = train(ranks, false);
            for (int i = 0; i < one.values().size(); i++) {
                Tensor a = one.values().get(i);
                for (DataParallel.Trained t : all) {
                    double distance = distance(t.values().get(i), a);
                    assertTrue(distance <= 1e-5, one.names().get(i) + " on " + ranks + " ranks: " + distance);
                    assertArrayEquals(
                            all.getFirst().values().get(i).bytes(),
                            t.values().get(i).bytes());
                }
            }
        }
    }

    @Test
    void deterministicRunsOfAsManyWorkersEndWithTheSameBits() throws Exception {
        DataParallel.Trained first = train(3, true).getFirst(),
                second = train(3, true).getLast();
        for (int i = 0; i < first.values().size(); i++)
            assertArrayEquals(
                    first.values().get(i).bytes(), second.values().get(i).bytes());
    }

    /** The norm of a difference, as a share of that of the second one. */
    private static double distance(Tensor a, Tensor b) {
        double sum = 0, norm = 0;
        for (long i = 0; i < a.size(); i++) {
            sum += Math.pow(a.getDouble(i) - b.getDouble(i), 2);
            norm += Math.pow(b.getDouble(i), 2);
        }
        return Math.sqrt(sum / norm);
    }

    @Test
    void theExampleHasAtMost100Lines() throws IOException {
        Path source = Path.of("src", "main", "java", "dev", "oxbow", "examples", "DataParallel.java");
        assertTrue(Files.readAllLines(source).size() <= 100);
    }
}
