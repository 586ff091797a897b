package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.conv;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.embedding;
import static dev.oxbow.train.layer.Layers.flatten;
import static dev.oxbow.train.layer.Layers.lstm;
import static dev.oxbow.train.layer.Layers.maxPool;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same model under every plan: parameters, slots and figures are those of one device. */
final class PlansTest {

    private enum Task {
        PERCEPTRON(Input.floats("x", 6), sequential(dense(16, Value::relu), dropout(0.2), dense(3))),
        IMAGES(
                Input.floats("x", 6, 6, 1),
                sequential(conv(4, 3).withoutBias(), batchNorm(), maxPool(2), flatten(), dense(3))),
        SEQUENCES(Input.floats("x", 5, 4), sequential(lstm(6), dense(3))),
        WORDS(Input.ints("x", 4), sequential(embedding(11, 5), flatten(), dense(3)));

        private final Input input;
        private final Layer layer;

        Task(Input input, Layer layer) {
            this.input = input;
            this.layer = layer;
        }

        Trainer.Config trainer() {
            return Trainer.of(Model.of(input, layer, 5), Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                    .metrics(Metrics.accuracy());
        }

        /** 23 examples: batches of 8 leave one of 7. */
        Batches batches() {
            Random random = new Random(9);
            int n = 23;
            Shape shape = input.batch().withDim(0, n);
            Tensor x = Tensor.allocate(input.dtype(), shape);
            for (long i = 0; i < x.size(); i++)
                x.set(i, input.dtype().isInteger() ? random.nextInt(11) : random.nextGaussian());
            int[] y = random.ints(n, 0, 3).toArray();
            return Examples.of(x, Tensor.of(Shape.of(n), y)).shuffled(8, 2);
        }
    }

    /** What a worker ends with. */
    private record End(Map<String, double[]> state, List<Epoch> history, Map<String, Double> figures) {}

    private static End train(Task task, Plan plan, Communicator job) {
        Batches batches = task.batches();
        try (Trainer t = task.trainer().plan(plan, job).start()) {
            List<Epoch> history = t.fit(batches, 2);
            Map<String, double[]> state = new LinkedHashMap<>();
            try (Checkpoint c = t.checkpoint()) {
                c.values().forEach((name, v) -> {
                    double[] all = new double[(int) v.size()];
                    for (int i = 0; i < all.length; i++) all[i] = v.getDouble(i);
                    state.put(name, all);
                });
            }
            return new End(state, history, t.evaluate(batches));
        }
    }

    @ParameterizedTest
    @EnumSource(Task.class)
    void workersOfARingEndWhereOneDeviceDoes(Task task) throws Exception {
        End one = train(task, Plan.local(), null);
        for (End e : Workers.run(3, job -> train(task, Plan.ring(), job))) assertClose(one, e);
    }

    @ParameterizedTest
    @EnumSource(Task.class)
    void workersBesideOneThatHelpsEndWhereOneDeviceDoes(Task task) throws Exception {
        End one = train(task, Plan.local(), null);
        for (End e : Workers.run(3, job -> train(task, Plan.pushPull(1), job)).subList(0, 2)) assertClose(one, e);
    }

    @ParameterizedTest
    @EnumSource(Task.class)
    void replicasEndWhereOneDeviceDoes(Task task) {
        assertClose(train(task, Plan.local(), null), train(task, Plan.replicas(2), null));
    }

    private static void assertClose(End expected, End actual) {
        assertEquals(expected.state().keySet(), actual.state().keySet());
        expected.state().forEach((name, want) -> {
            double[] got = actual.state().get(name);
            double norm = 0, distance = 0;
            for (int i = 0; i < want.length; i++) {
                norm += want[i] * want[i];
                distance += (want[i] - got[i]) * (want[i] - got[i]);
            }
            double relative = Math.sqrt(distance) / Math.max(1e-6, Math.sqrt(norm));
            assertTrue(relative < 1e-4, name + " differs by " + relative + " of its norm");
        });
        assertEquals(expected.figures().get("loss"), actual.figures().get("loss"), 1e-4);
        assertEquals(expected.figures().get("accuracy"), actual.figures().get("accuracy"), 1e-9);
        for (int i = 0; i < expected.history().size(); i++) {
            assertEquals(
                    expected.history().get(i).loss(), actual.history().get(i).loss(), 1e-4);
            assertEquals(
                    expected.history().get(i).metrics(), actual.history().get(i).metrics());
        }
    }
}
