package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.dense;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Communicator;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.data.pipeline.StageTime;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A trainer that is fed by a pipeline. */
final class PipelineTrainingTest {

    /** 50 examples in batches of 8: 7 batches an epoch, the last one of 2. */
    private static Pipeline<Sample> samples() {
        return Pipeline.range(50).shuffle(20, 5).map("make", 9, (i, draw) -> {
            float noise = (float) draw.uniform(-0.1, 0.1);
            return Sample.of(Tensor.of(Shape.of(2), i / 50f, noise), Tensor.of(Shape.of(1), i / 25f + noise));
        });
    }

    private static Batches batches(int threads) {
        return Batches.of(samples().batch(8).threads(threads));
    }

    private static Trainer trainer(Plan plan, Communicator job, Callback... callbacks) {
        return Trainer.of(Model.of(Input.floats("x", 2), dense(1), 3), Losses.squaredError(), Optimizer.adam(0.01))
                .callbacks(callbacks)
                .plan(plan, job)
                .start();
    }

    private static float[] weights(Trainer t) {
        try (Checkpoint c = t.checkpoint()) {
            return c.values().get(t.model().parameters().getFirst().name()).floats();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void aRunThatStoppedInAnEpochGoesOnInItWithAnyNumberOfThreads(int threads) {
        Callback stop = new Callback() {
            @Override
            public void step(Trainer t, double loss) {
                if (t.position().step() == 10) t.stop();
            }
        };
        try (Trainer whole = trainer(Plan.local(), null);
                Trainer first = trainer(Plan.local(), null, stop);
                Trainer second = trainer(Plan.local(), null)) {
            whole.fit(batches(2), 3);
            first.fit(batches(threads), 3);
            try (Checkpoint c = first.checkpoint()) {
                second.restore(c);
            }
            second.fit(batches(threads), 3);
            assertEquals(whole.position(), second.position());
            assertArrayEquals(weights(whole), weights(second));
        }
    }

    @Test
    void workersThatComputeTheirOwnRowsEndWhereOneDoes() throws Exception {
        float[] one;
        List<Epoch> history;
        try (Trainer t = trainer(Plan.local(), null)) {
            history = t.fit(batches(2), 3);
            one = weights(t);
        }
        for (int workers : new int[] {2, 3})
            for (float[] w : Workers.run(workers, job -> {
                try (Trainer t = trainer(Plan.ring(), job)) {
                    List<Epoch> own = t.fit(batches(1), 3);
                    assertEquals(history.getLast().examples(), own.getLast().examples());
                    assertEquals(history.getLast().loss(), own.getLast().loss(), 1e-5);
                    return weights(t);
                }
            })) assertArrayEquals(one, w, 1e-5f);
    }

    @Test
    void anEpochCountsTheStepsThatWaitForInputAndNamesTheStages() {
        Pipeline<Batch> batches = samples().map("same", 0, (s, _) -> s).batch(8);
        Batches late = (epoch, from) -> {
            Feed<Batch> all = batches.epoch(epoch, from);
            return new Feed<>() {
                @Override
                public boolean hasNext() {
                    return all.hasNext();
                }

                @Override
                public Batch next() {
                    return all.next();
                }

                @Override
                public boolean isReady() {
                    return false;
                }

                @Override
                public List<StageTime> stages() {
                    return all.stages();
                }

                @Override
                public void close() {
                    all.close();
                }
            };
        };
        try (Trainer t = trainer(Plan.local(), null)) {
            Epoch e = t.fit(late, 1).getFirst();
            assertEquals(7, e.waits());
            assertTrue(e.waited().compareTo(e.time()) < 0);
            assertEquals(
                    List.of("reading and order", "make", "same", "batch 8"),
                    e.stages().stream().map(StageTime::stage).toList());
            assertEquals(50, e.stages().get(2).count());
        }
    }
}
