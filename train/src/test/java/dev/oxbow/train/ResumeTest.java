package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.batchNorm;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.WireFormat;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import dev.oxbow.train.state.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ResumeTest {
    private static final int EPOCHS = 3;

    @TempDir
    private Path folder;

    private static Trainer trainer(Callback... callbacks) {
        return trainer(Plan.local(), null, callbacks);
    }

    private static Trainer trainer(Plan plan, Communicator job, Callback... callbacks) {
        Model model = Model.of(
                Input.floats("x", 5), sequential(dense(8, Value::relu), batchNorm(), dropout(0.3), dense(1)), 3);
        return Trainer.of(model, Losses.squaredError(), Optimizer.adam(0.01))
                .callbacks(callbacks)
                .plan(plan, job)
                .start();
    }

    private static Batches batches() {
        Random random = new Random(11);
        float[] x = new float[5 * 50], y = new float[50];
        for (int i = 0; i < x.length; i++) x[i] = (float) random.nextGaussian();
        for (int i = 0; i < y.length; i++) y[i] = x[5 * i] - x[5 * i + 1];
        return Examples.of(Tensor.of(Shape.of(50, 5), x), Tensor.of(Shape.of(50, 1), y))
                .shuffled(8, 5); // 7 batches an epoch, the last one of 2
    }

    private static Callback stopAfter(long steps) {
        return new Callback() {
            @Override
            public void step(Trainer t, double loss) {
                if (t.position().step() == steps) t.stop();
            }
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 6, 7, 8, 13, 20})
    void aRunThatStoppedAnywhereEndsWithTheBitsOfOneThatDidNot(long steps) {
        Batches batches = batches();
        try (Trainer whole = trainer();
                Trainer first = trainer(stopAfter(steps));
                Trainer second = trainer()) {
            whole.fit(batches, EPOCHS);
            first.fit(batches, EPOCHS);
            assertEquals(steps, first.position().step());
            try (Checkpoint c = first.checkpoint()) {
                new Checkpoints(folder, 2).save(c);
            }
            try (Checkpoint c = new Checkpoints(folder, 2).latest().orElseThrow()) {
                second.restore(c);
            }
            second.fit(batches, EPOCHS);
            assertEquals(new Position(21, 3, 0), second.position());
            assertEqualBits(whole, second);
        }
    }

    /** Two processes stop in the second epoch, one goes on alone, stops in the third, and two devices do the rest. */
    @Test
    void aRunGoesOnUnderOtherPlans() throws Exception {
        Batches batches = batches();
        Checkpoints saved = new Checkpoints(folder, 2);
        Workers.run(2, job -> part(trainer(Plan.ring(), job, stopAfter(9)), saved, 9));
        part(trainer(stopAfter(17)), saved, 17);
        part(trainer(Plan.replicas(2), null), saved, 21);
        try (Trainer whole = trainer();
                Checkpoint end = saved.latest().orElseThrow()) {
            whole.fit(batches, EPOCHS);
            assertEquals(whole.position(), end.position());
            try (Checkpoint c = whole.checkpoint()) {
                c.values().forEach((name, t) -> {
                    for (long i = 0; i < t.size(); i++)
                        assertEquals(t.getDouble(i), end.values().get(name).getDouble(i), 1e-4, name);
                });
            }
        }
    }

    /** Goes on from what was saved, up to a step, and saves. */
    private static Map<String, byte[]> part(Trainer trainer, Checkpoints saved, long end) {
        try (trainer) {
            trainer.resume(saved);
            trainer.fit(batches(), EPOCHS);
            assertEquals(end, trainer.position().step());
            try (Checkpoint c = trainer.checkpoint()) {
                saved.save(c, trainer.share());
                Map<String, byte[]> bytes = new TreeMap<>();
                c.values().forEach((name, t) -> bytes.put(name, t.bytes()));
                c.slices().forEach((name, t) -> bytes.put(name, t.bytes()));
                return bytes;
            }
        }
    }

    /** One of whose gradients a tenth is sent at a time. */
    private static Trainer chosen(Communicator job, Callback... callbacks) {
        Model model = Model.of(Input.floats("x", 5), sequential(dense(300, Value::relu), dense(1)), 3);
        return Trainer.of(model, Losses.squaredError(), Optimizer.adam(0.01))
                .callbacks(callbacks)
                .plan(Plan.ring().withWire(WireFormat.topK(0.1)), job)
                .start();
    }

    @Test
    void whatWorkersHaveNotSentYetGoesOnToo() throws Exception {
        Checkpoints undisturbed = new Checkpoints(folder.resolve("whole"), 2), saved = new Checkpoints(folder, 2);
        List<Map<String, byte[]>> whole = Workers.run(2, job -> part(chosen(job), undisturbed, 21));
        Workers.run(2, job -> part(chosen(job, stopAfter(9)), saved, 9));
        List<Map<String, byte[]>> resumed = Workers.run(2, job -> part(chosen(job), saved, 21));
        String residual = "dense1/kernel/residual";
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(whole.get(rank).keySet(), resumed.get(rank).keySet());
            assertTrue(whole.get(rank).containsKey(residual), whole.get(rank).keySet() + "");
            for (String name : whole.get(rank).keySet())
                assertArrayEquals(whole.get(rank).get(name), resumed.get(rank).get(name), name + " of rank " + rank);
        }
        assertFalse(Arrays.equals(whole.get(0).get(residual), whole.get(1).get(residual)));
    }

    @Test
    void anotherNumberOfWorkersOwesWhatTheOthersHadNotSent() throws Exception {
        Checkpoints saved = new Checkpoints(folder, 2);
        Workers.run(2, job -> part(chosen(job, stopAfter(9)), saved, 9));
        try (Checkpoint c = saved.latest().orElseThrow()) {
            Map.Entry<String, Tensor> had = c.slices().entrySet().iterator().next();
            assertEquals(2, had.getValue().shape().dim(0));
            List<double[]> now = Workers.run(3, job -> {
                try (Trainer t = chosen(job)) {
                    assertTrue(t.resume(saved));
                    try (Checkpoint own = t.checkpoint()) {
                        Tensor mine = own.slices().get(had.getKey());
                        return LongStream.range(0, mine.size())
                                .mapToDouble(mine::getDouble)
                                .toArray();
                    }
                }
            });
            int size = now.getFirst().length;
            for (int i = 0; i < size; i++) {
                double before = had.getValue().getDouble(i) + had.getValue().getDouble(size + i);
                int at = i;
                assertEquals(before, now.stream().mapToDouble(n -> n[at]).sum(), 1e-6);
            }
        }
    }

    private static void assertEqualBits(Trainer a, Trainer b) {
        try (Checkpoint x = a.checkpoint();
                Checkpoint y = b.checkpoint()) {
            assertEquals(x.values().keySet(), y.values().keySet());
            for (String name : x.values().keySet())
                assertArrayEquals(
                        x.values().get(name).bytes(), y.values().get(name).bytes(), name);
        }
    }

    @Test
    void aTornCheckpointIsSkippedForTheOneBefore() throws IOException {
        Checkpoints all = new Checkpoints(folder, 3);
        for (long step = 1; step <= 2; step++)
            try (Checkpoint c = new Checkpoint(
                    new Position(step, 0, step),
                    Map.of("w", Tensor.of(Shape.of(2), step, 2f)),
                    Map.of("plan", "local"))) {
                all.save(c);
            }
        Path newest = all.list().getFirst().resolve("state.safetensors");
        byte[] bytes = Files.readAllBytes(newest);
        bytes[bytes.length - 1] ^= 1;
        Files.write(newest, bytes);
        try (Checkpoint c = all.latest().orElseThrow()) {
            assertEquals(new Position(1, 0, 1), c.position());
            assertArrayEquals(new float[] {1, 2}, c.values().get("w").floats());
            assertEquals(Map.of("plan", "local"), c.notes());
        }
    }

    @Test
    void onlyTheNewestCheckpointsStay() {
        Checkpoints all = new Checkpoints(folder, 2);
        for (long step = 1; step <= 4; step++)
            try (Checkpoint c = new Checkpoint(new Position(step, 0, 0), Map.of("w", Tensor.scalar(1f)), Map.of())) {
                all.save(c);
            }
        assertEquals(
                List.of("step-000000000004", "step-000000000003"),
                all.list().stream().map(p -> p.getFileName().toString()).toList());
    }
}
