package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.dense;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.tensor.OxbowException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CallbacksTest {
    @TempDir
    private Path folder;

    private static Trainer trainer(Callback... callbacks) {
        return Trainer.of(Model.of(Input.floats("x", 2), dense(1), 3), Losses.squaredError(), Optimizer.sgd(0.1))
                .callbacks(callbacks)
                .start();
    }

    /** Five batches of two. */
    private static Batches batches() {
        float[] x = new float[20], y = new float[10];
        for (int i = 0; i < x.length; i++) x[i] = i % 3 - 1;
        for (int i = 0; i < y.length; i++) y[i] = i % 2;
        return Examples.of(Tensor.of(Shape.of(10, 2), x), Tensor.of(Shape.of(10, 1), y))
                .batches(2);
    }

    private static Epoch epoch(long number, double loss, double accuracy) {
        return new Epoch(number, 5, 10, loss, Map.of("accuracy", accuracy), Duration.ZERO, 0, Duration.ZERO, List.of());
    }

    @Test
    void trainingEndsWhenAFigureDoesNotBecomeBetter() {
        Callback c = Callbacks.earlyStopping("loss", Callbacks.Goal.LOWEST, 2);
        double[] losses = {3, 2, 2.5, 1.9, 1.9, 2};
        List<Boolean> ends = new ArrayList<>();
        for (int i = 0; i < losses.length; i++) ends.add(c.epoch(null, epoch(i, losses[i], 0)));
        assertEquals(List.of(false, false, false, false, false, true), ends);
        Callback highest = Callbacks.earlyStopping("accuracy", Callbacks.Goal.HIGHEST, 1);
        assertFalse(highest.epoch(null, epoch(0, 1, 0.5)));
        assertFalse(highest.epoch(null, epoch(1, 1, 0.6)));
        assertTrue(highest.epoch(null, epoch(2, 1, 0.6)));
        OxbowException e = assertThrows(
                OxbowException.class,
                () -> Callbacks.earlyStopping("validation loss", Callbacks.Goal.LOWEST, 1)
                        .epoch(null, epoch(0, 1, 1)));
        assertEquals("Epoch: there is no figure 'validation loss', only loss and [accuracy]", e.getMessage());
    }

    @Test
    void aFitThatACallbackEndsHasFewerEpochs() {
        Callback second = new Callback() {
            @Override
            public boolean epoch(Trainer t, Epoch e) {
                return e.number() == 1;
            }
        };
        try (Trainer t = trainer(second)) {
            assertEquals(2, t.fit(batches(), 9).size());
            assertEquals(new Position(10, 2, 0), t.position());
        }
    }

    @Test
    void theBestEpochIsSaved() {
        Checkpoints to = new Checkpoints(folder, 1);
        Callback best = Callbacks.best(to, "accuracy", Callbacks.Goal.HIGHEST);
        try (Trainer t = trainer()) {
            for (double accuracy : new double[] {0.5, 0.8, 0.7}) {
                t.fit(batches(), 1);
                best.epoch(t, epoch(t.position().epoch(), 1, accuracy));
            }
            try (Checkpoint c = to.latest().orElseThrow()) {
                assertEquals(new Position(10, 2, 0), c.position());
            }
        }
    }

    @Test
    void checkpointsAreWrittenBesideTrainingAndResumed() {
        Checkpoints to = new Checkpoints(folder, 10);
        try (Trainer t = trainer(Callbacks.every(3, to));
                Trainer again = trainer()) {
            assertFalse(again.resume(to));
            t.fit(batches(), 2);
            assertEquals(
                    List.of("step-000000000009", "step-000000000006", "step-000000000003"),
                    to.list().stream().map(p -> p.getFileName().toString()).toList());
            assertTrue(again.resume(to));
            assertEquals(new Position(9, 1, 4), again.position());
            again.fit(batches(), 2);
            assertEquals(t.position(), again.position());
            try (Checkpoint a = t.checkpoint();
                    Checkpoint b = again.checkpoint()) {
                for (String name : a.values().keySet())
                    assertArrayEquals(
                            a.values().get(name).bytes(), b.values().get(name).bytes(), name);
            }
        }
    }

    /** A file lies where the folder of checkpoints should be. */
    @Test
    void whatGoesWrongWhileWritingEndsTraining() throws IOException {
        Path file = Files.createFile(folder.resolve("taken"));
        try (Trainer t = trainer(Callbacks.every(2, new Checkpoints(file, 1)))) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.fit(batches(), 2));
            assertTrue(e.getMessage().startsWith("checkpoints: can not save to " + file), e.getMessage());
        }
    }

    @Test
    void callbacksHearOfTheEndAlsoWhenTrainingFails() {
        List<Long> ends = new ArrayList<>();
        Callback c = new Callback() {
            @Override
            public void end(Trainer t) {
                ends.add(t.position().step());
            }
        };
        Batches failing = (epoch, from) -> new Feed<>() {
            private final Iterator<Batch> good = batches().epoch(epoch, from);

            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Batch next() {
                return good.next();
            }
        };
        try (Trainer t = trainer(c)) {
            t.fit(batches(), 1);
            assertThrows(RuntimeException.class, () -> t.fit(failing, 1));
            assertEquals(List.of(5L, 10L), ends);
        }
    }

    @Test
    void anyIterableIsInput() {
        Iterable<Batch> all = () -> batches().epoch(0, 0);
        try (Trainer a = trainer();
                Trainer b = trainer()) {
            a.fit(batches(), 2);
            b.fit(Batches.of(all), 2);
            assertEquals(a.position(), b.position());
            assertEquals(a.evaluate(batches()), b.evaluate(Batches.of(all)));
        }
    }
}
