package dev.oxbow.train;

import static dev.oxbow.train.layer.Layers.activation;
import static dev.oxbow.train.layer.Layers.dense;
import static dev.oxbow.train.layer.Layers.dropout;
import static dev.oxbow.train.layer.Layers.sequential;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.ops.Value;
import dev.oxbow.parallel.Plan;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Build;
import dev.oxbow.train.layer.Initialiser;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers that are not finite end training with the node that made them and the state before the step. */
final class WatchTest {
    private static final int BAD = 7;

    /** Ten batches of two examples, all ones but for example {@code 2 * BAD}. */
    private static Batches batches(float bad) {
        float[] x = new float[20 * 3], y = new float[20];
        Arrays.fill(x, 1);
        Arrays.fill(y, 0.5f);
        x[2 * BAD * 3] = bad;
        return Examples.of(Tensor.of(Shape.of(20, 3), x), Tensor.of(Shape.of(20, 1), y))
                .batches(2);
    }

    private static Trainer.Config trainer(UnaryOperator<Value> f) {
        Model model = Model.of(
                Input.floats("x", 3), sequential(activation(f), dense(4, Value::tanh), dropout(0.2), dense(1)), 3);
        return Trainer.of(model, Losses.squaredError(), Optimizer.adam(0.01));
    }

    /** What a trainer has after the batches before the bad one. */
    private static void assertStateBeforeTheStep(UnaryOperator<Value> f, Trainer failed, double tolerance) {
        assertEquals(new Position(BAD, 0, BAD), failed.position());
        Callback stop = new Callback() {
            @Override
            public void step(Trainer t, double loss) {
                if (t.position().step() == BAD) t.stop();
            }
        };
        try (Trainer good = trainer(f).callbacks(stop).start()) {
            good.fit(batches(1), 1);
            assertSame(good, failed, tolerance);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 8, 100})
    void aLossThatIsNoNumberNamesItsNodeAndLeavesTheStateBefore(int watch) {
        try (Trainer t = trainer(Value::log).watch(watch).start()) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.fit(batches(-1), 1));
            assertTrue(
                    e.getMessage()
                            .startsWith(
                                    "Trainer: step 7 (epoch 0, batch 7) gives a loss of NaN; the state is that before"
                                            + " the step: Log: output 0 holds NaN at element 0"),
                    e.getMessage());
            assertTrue(e.getMessage().contains("activation1/Log"), e.getMessage());
            assertStateBeforeTheStep(Value::log, t, 0);
        }
    }

    /** The value at 0 is 0, and the gradient of the root there is infinite; times zero it is no number. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 100})
    void aGradientThatIsNoNumberIsFoundToo(int watch) {
        Model model = Model.of(Input.floats("x", 3), WatchTest::rooted, 3);
        try (Trainer t = Trainer.of(model, Losses.squaredError(), Optimizer.sgd(0.01))
                .watch(watch)
                .start()) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.fit(batches(0), 1));
            assertTrue(
                    e.getMessage()
                            .startsWith(
                                    "Trainer: step 7 (epoch 0, batch 7) gives parameter 'scale' numbers that are not"
                                            + " finite; the state is that before the step: "),
                    e.getMessage());
            assertEquals(new Position(BAD, 0, BAD), t.position());
            try (Checkpoint c = t.checkpoint()) {
                assertTrue(Double.isFinite(c.values().get("scale").getDouble(0)));
            }
        }
    }

    /** {@code sum(sqrt(scale * x))}, whose derivative by {@code scale} is {@code x / (2 sqrt(scale x))}. */
    private static Value rooted(Build b, Value x) {
        return x.times(b.parameter("scale", Initialiser.ones(), 1)).sqrt().sum(true, 1);
    }

    @Test
    void withoutAWatchTheStepIsNamed() {
        try (Trainer t = trainer(Value::log).watch(0).start()) {
            OxbowException e = assertThrows(OxbowException.class, () -> t.fit(batches(-1), 1));
            assertEquals("Trainer: step 7 (epoch 0, batch 7) gives a loss of NaN", e.getMessage());
        }
    }

    /** The bad example is the first of its two, so the first of two processes has it. */
    @Test
    void processesGoBackTogetherAndTheOneWithTheExampleNamesTheNode() throws Exception {
        List<String> messages = Workers.run(2, job -> {
            try (Trainer t = trainer(Value::log).plan(Plan.ring(), job).watch(3).start()) {
                OxbowException e = assertThrows(OxbowException.class, () -> t.fit(batches(-1), 1));
                assertStateBeforeTheStep(Value::log, t, 1e-5);
                return e.getMessage();
            }
        });
        String first = messages.get(0), second = messages.get(1);
        String both = "Trainer: step 7 (epoch 0, batch 7) gives a loss of NaN; the state is that before the step";
        assertTrue(first.startsWith(both + ": Log: output 0 holds NaN"), first);
        assertEquals(both, second);
    }

    @Test
    void trainingGoesOnAfterAFailureWithBetterBatches() {
        try (Trainer t = trainer(Value::log).start();
                Trainer good = trainer(Value::log).start()) {
            assertThrows(OxbowException.class, () -> t.fit(batches(-1), 2));
            t.fit(batches(1), 2);
            good.fit(batches(1), 2);
            assertEquals(good.position(), t.position());
            assertSame(good, t, 0);
        }
    }

    private static void assertSame(Trainer a, Trainer b, double tolerance) {
        try (Checkpoint x = a.checkpoint();
                Checkpoint y = b.checkpoint()) {
            x.values().forEach((name, t) -> {
                for (long i = 0; i < t.size(); i++) {
                    double want = t.getDouble(i), got = y.values().get(name).getDouble(i);
                    if (tolerance == 0) assertEquals(want, got, name);
                    else assertEquals(want, got, tolerance, name);
                }
            });
        }
    }
}
