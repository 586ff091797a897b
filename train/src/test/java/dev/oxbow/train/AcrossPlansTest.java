package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Any plan goes on from what any other has kept, and ends where one device does. */
@Timeout(300)
final class AcrossPlansTest {

    /** Where the state of training is kept while it runs. */
    private enum Kind {
        LOCAL(1, 0),
        RING(2, 0),
        REPLICAS(1, 0),
        /** Two that compute, and one that owns shares of the sums. */
        PUSH_PULL(3, 0),
        /** One worker, whose pushes are updates each. */
        ASYNC(1, 2),
        /** Variables as a whole on one server. */
        ONE_SERVER(2, 1),
        /** The largest one by rows on two. */
        TWO_SERVERS(2, 2),
        /** And a copy with each worker. */
        COPIES(2, 2),
        /** And what the next step needs, rows among it, is pulled ahead. */
        AHEAD(2, 2),
        /** With exchanges that end in the next step. */
        ACROSS(2, 0);

        private final int workers;
        private final int servers;

        Kind(int workers, int servers) {
            this.workers = workers;
            this.servers = servers;
        }

        Plan plan() {
            return switch (this) {
                case LOCAL -> Plan.local();
                case RING -> Plan.ring();
                case ACROSS -> Plan.ring().acrossSteps();
                case REPLICAS -> Plan.replicas(2);
                case PUSH_PULL -> Plan.pushPull(1);
                case ASYNC -> Plan.parameterServer(servers, workers).async();
                case ONE_SERVER, TWO_SERVERS -> Plan.parameterServer(servers, workers);
                case AHEAD -> Plan.parameterServer(servers, workers).prefetch();
                case COPIES -> Plan.parameterServer(servers, workers).replicated();
            };
        }

        /** Whether it keeps state where another kind does. */
        boolean isVariant() {
            return this == COPIES || this == AHEAD || this == ACROSS;
        }

        /** What workers end with after so many epochs, from what is kept in a folder; the first epoch is kept there. */
        List<Map<String, double[]>> train(Path folder, int epochs) throws Exception {
            if (workers == 1 && servers == 0) return List.of(part(plan(), null, folder, epochs));
            if (servers == 0)
                return Workers.run(workers, job -> part(plan(), job, folder, epochs))
                        .subList(0, workers - plan().helpers());
            ServerOptions options =
                    ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));
            try (LocalCluster cluster = LocalCluster.start(
                    LocalCluster.onFreePorts(Map.of("ps", servers, "worker", workers)),
                    options,
                    LocalCluster.Links.CALLS)) {
                return Workers.run(
                        workers,
                        job -> part(
                                plan().at(cluster.server("worker", job.rank()).target()), job, folder, epochs));
            }
        }
    }

    private static Map<String, double[]> part(Plan plan, Communicator job, Path folder, int epochs) {
        Checkpoints saved = new Checkpoints(folder, 2);
        Model model = Model.of(
                Input.ints("x", 4), sequential(embedding(200, 6), flatten(), dense(8, Value::relu), dense(3)), 5);
        try (Trainer t = Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                .plan(plan, job)
                .start()) {
            t.resume(saved);
            t.fit(batches(), epochs);
            try (Checkpoint c = t.checkpoint()) {
                if (epochs == 1) saved.save(c, t.share());
                assertEquals(3L * epochs, c.position().step());
                return numbers(c);
            }
        }
    }

    /** 23 examples: batches of 8 leave one of 7. */
    private static Batches batches() {
        Random random = new Random(9);
        int n = 23;
        int[] x = random.ints(4L * n, 0, 200).toArray(),
                y = random.ints(n, 0, 3).toArray();
        return Examples.of(Tensor.of(Shape.of(n, 4), x), Tensor.of(Shape.of(n), y))
                .shuffled(8, 2);
    }

    private static Map<String, double[]> numbers(Checkpoint c) {
        Map<String, double[]> all = new HashMap<>();
        c.values().forEach((name, t) -> {
            double[] numbers = new double[(int) t.size()];
            for (int i = 0; i < numbers.length; i++) numbers[i] = t.getDouble(i);
            all.put(name, numbers);
        });
        return all;
    }

    @Test
    void anyPlanGoesOnFromWhatAnyOtherHasKept(@TempDir Path temporary) throws Exception {
        Map<String, double[]> wanted =
                Kind.LOCAL.train(temporary.resolve("none"), 2).getFirst();
        for (Kind first : Kind.values()) {
            Path folder = temporary.resolve(first.name());
            first.train(folder, 1);
            for (Kind second : Kind.values()) {
                if (first.isVariant() && second.isVariant()) continue;
                for (Map<String, double[]> got : second.train(folder, 2))
                    assertClose(wanted, got, first + " then " + second);
            }
        }
    }

    private static void assertClose(Map<String, double[]> wanted, Map<String, double[]> got, String what) {
        assertEquals(wanted.keySet(), got.keySet(), what);
        wanted.forEach((name, want) -> {
            assertEquals(want.length, got.get(name).length, what);
            for (int i = 0; i < want.length; i++)
                assertTrue(
                        Math.abs(want[i] - got.get(name)[i]) <= 1e-4,
                        what + ": " + name + "[" + i + "] is " + got.get(name)[i] + ", wanted " + want[i]);
        });
    }
}
