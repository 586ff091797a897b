package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.QueueDevice;
import dev.oxbow.testing.graph.Passes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training steps under a memory budget: equal results, less memory, clear errors. */
final class MemoryBudgetTest {
    private static final Map<String, Integer> BATCH = Map.of("mlp", 2048, "cnn", 16, "transformer", 16);

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn", "transformer"})
    void halfTheMemoryGivesTheSameBits(String kind) {
        TrainingModel m = TrainingModel.of(kind, BATCH.get(kind));
        FitMemory.Report plain = m.estimate(Long.MAX_VALUE);
        assertEquals(0, plain.unknown());
        List<float[]> expected;
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            expected = m.run(engine, SessionOptions.defaults());
        }
        long budget = m.stateBytes() + plain.written() / 2;
        try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(budget))) {
            List<float[]> actual = m.run(engine, SessionOptions.defaults());
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
            MemoryPool memory = engine.devices().get(0).memory();
            assertTrue(memory.peakBytes() <= budget, () -> memory.peakBytes() + " of " + budget);
        }
    }

    private static Engine queue(long budget) {
        return new Engine(
                EngineOptions.defaults().withThreads(2),
                (o, width) -> List.of(new QueueDevice(new CpuDevice(o.task(), 0, budget, width))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "transformer"})
    void valuesThatWaitLongArePassedToTheHostWhereADeviceHasTooLittle(String kind) {
        TrainingModel m = TrainingModel.of(kind, BATCH.get(kind));
        List<float[]> expected;
        long most;
        try (Engine engine = queue(Long.MAX_VALUE)) {
            expected = m.run(engine, SessionOptions.defaults());
            most = engine.devices().getFirst().memory().peakBytes();
        }
        long budget = m.stateBytes() + (most - m.stateBytes()) * 6 / 10;
        Engine engine = queue(budget);
        QueueDevice device = (QueueDevice) engine.devices().getFirst();
        try (engine) {
            List<float[]> actual = m.run(engine, SessionOptions.defaults());
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        }
        long peak = device.memory().peakBytes(), parked = device.parked();
        assertTrue(peak <= budget, () -> peak + " of " + budget + ", without a budget " + most);
        assertTrue(parked > 0, "nothing was parked");
        assertTrue(device.movedIn() >= parked, () -> device.movedIn() + " of " + parked + " came back");
        assertEquals(0, device.parking().memory().bytesInUse());
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn", "transformer"})
    void theEstimateIsWithinATenthOfWhatThePoolMeasures(String kind) {
        TrainingModel m = TrainingModel.of(kind, BATCH.get(kind));
        long written = m.estimate(Long.MAX_VALUE).written(), state = m.stateBytes();
        for (double share : new double[] {1.1, 0.75, 0.5}) {
            long left = (long) (share * written);
            // a step without a plan: plans hold less
            try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(state + left));
                    Session s = Session.open(
                            m.graph, engine, SessionOptions.defaults().withPlans(false))) {
                MemoryPool memory = engine.devices().get(0).memory();
                m.initialise(s);
                m.step(s);
                m.step(s);
                long estimated = state + m.estimate(left - left / 32).recomputed(), measured = memory.peakBytes();
                assertEquals(1, (double) estimated / measured, 0.1, () -> estimated + " for " + measured);
            }
        }
    }

    @Test
    void anotherOrderIsTriedBeforeAnythingIsComputedTwice() {
        TrainingModel m = new TrainingModel().input(256, 256);
        List<Value> wide = new ArrayList<>();
        for (int i = 0; i < 16; i++) wide.add(m.x.times(i + 1).tanh());
        Value sum = m.ops.constant(0f);
        for (Value w : wide) sum = sum.plus(w.square().sum());
        Edge fetch = sum.edge();
        m.loss = sum;
        m.updates = List.of();
        FitMemory.Report r = m.estimate(m.estimate(Long.MAX_VALUE).written() / 4);
        assertTrue(r.fits() && r.reordered() <= r.written() / 4, r.toString());
        assertEquals(0, r.copies());
        float[] expected, actual;
        try (Session s = Session.open(m.graph)) {
            expected =
                    TrainingModel.floats(s.feed(m.x.edge(), m.data).fetch(fetch).run());
        }
        try (Session s = Session.open(m.graph, EngineOptions.defaults().withMemoryBudget(r.written() / 4))) {
            s.feed(m.x.edge(), m.data).fetch(fetch).run().get(0).close();
            actual =
                    TrainingModel.floats(s.feed(m.x.edge(), m.data).fetch(fetch).run());
        }
        assertArrayEquals(expected, actual);
    }

    @Test
    void randomValuesAreDrawnOnce() {
        TrainingModel m = new TrainingModel().input(1024, 32);
        Value h = m.x;
        for (int i = 0; i < 16; i++) {
            Value mask = Value.apply(
                    Ops.named("RandomUniform", Map.of("seed", 7L + i, "seed2", 11L, "dtype", DType.F32)),
                    m.ops.constant(1024, 32));
            h = h.matMul(m.parameter("w" + i, 0.3, 32, 32)).tanh().times(mask);
        }
        m.train(h);
        List<float[]> expected;
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            expected = m.run(engine, SessionOptions.defaults());
        }
        FitMemory.Report plain = m.estimate(Long.MAX_VALUE);
        long left = (long) (0.75 * plain.written());
        assertTrue(m.estimate(left - left / 32).copies() > 0);
        try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(m.stateBytes() + left))) {
            List<float[]> actual = m.run(engine, SessionOptions.defaults());
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        }
    }

    @Test
    void aBudgetThatIsTooSmallForOneNodeFailsBeforeTheStep() {
        TrainingModel m = TrainingModel.mlp(3, 2048);
        try (Session s = Session.open(m.graph, EngineOptions.defaults().withMemoryBudget(600_000))) {
            m.initialise(s);
            var e = assertThrows(OxbowException.class, () -> m.step(s));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
            assertTrue(
                    e.getMessage()
                            .matches("CPU:0: out of memory: .*Mul_1 wants 786,432 bytes for its inputs and outputs, "
                                    + "[\\d,]+ of a budget of 600,000 are in use; the least that this step was "
                                    + "estimated to need is [\\d,]+ bytes beyond them"),
                    e.getMessage());
            assertArrayEquals(
                    m.data("w0"),
                    TrainingModel.floats(
                            s.fetch(m.parameters.getFirst().value().edge()).run()));
        }
    }

    @Test
    void aBudgetThatCannotBeMetNamesTheHoldersAndTheLeastPeak() {
        TrainingModel m = TrainingModel.mlp(24, 2048);
        try (Session s = Session.open(m.graph, EngineOptions.defaults().withMemoryBudget(1_300_000))) {
            m.initialise(s);
            var e = assertThrows(OxbowException.class, () -> m.step(s));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
            assertTrue(
                    e.getMessage().contains("of a budget of 1,300,000 are in use; largest holders: "), e.getMessage());
            assertTrue(e.getMessage().contains("the least that this step was estimated to need, "), e.getMessage());
            assertArrayEquals(
                    m.data("w0"),
                    TrainingModel.floats(
                            s.fetch(m.parameters.getFirst().value().edge()).run()));
        }
    }

    @Test
    void loopsAndBranchesAreLeftAloneButRun() {
        TrainingModel m = new TrainingModel().input(512, 32);
        Value h = m.x;
        for (int i = 0; i < 12; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32)).tanh();
        Value looped = m.ops.whileLoop(
                        v -> v.get(0).less(m.ops.constant(3)),
                        v -> List.of(v.get(0).plus(1), v.get(1).tanh().times(1.5)),
                        List.of(m.ops.constant(0), h))
                .get(1);
        Value branched = m.ops.cond(
                        looped.sum().greater(m.ops.constant(0f)),
                        () -> List.of(looped.times(2)),
                        () -> List.of(looped.negated()))
                .getFirst();
        m.train(branched);
        List<float[]> expected;
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            expected = m.run(engine, SessionOptions.defaults());
        }
        long budget = m.stateBytes() + (long) (0.9 * m.estimate(Long.MAX_VALUE).written()) + (2 << 20);
        try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(budget))) {
            List<float[]> actual = m.run(engine, SessionOptions.defaults());
            for (int i = 0; i < expected.size(); i++) assertArrayEquals(expected.get(i), actual.get(i), "value " + i);
        }
    }

    @Test
    @Timeout(300)
    void aHundredThousandNodesAreFittedInAboutASecond() {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(1024)), v = x;
        for (int i = 0; i < 26_000; i++) v = v.tanh().negated();
        Value dx = Gradients.of(List.of(v), List.of(x)).get(0);
        Subgraph cut = Cut.run(g, List.of(x.edge()), List.of(dx.edge()), List.of());
        Subgraph s = Passes.run(cut, new Infer(), new Fold(), new Prune(), new Infer());
        assertTrue(s.graph().size() > 100_000, () -> s.graph().size() + " nodes");
        long written = Passes.fit(s, Long.MAX_VALUE).written();
        long start = System.nanoTime();
        FitMemory.Report r = Passes.fit(s, written / 2);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(r.fits(), r.toString());
        assertTrue(millis < 10_000, () -> millis + " ms");
    }

    @Test
    void runsThatTakeTurnsKeepTheirMemoryUntilAnotherOneNeedsIt() {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(384, 384));
        Value a = x.matMul(x).tanh().matMul(x).sum(),
                b = x.matMul(x).minus(x).matMul(x).max(),
                c = x.matMul(x).times(3).matMul(x).min();
        long two = 4 * 384 * 384 * 4; // but not three of them
        try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(two));
                Session s = Session.open(g, engine);
                Tensor fed = Tensor.of(Shape.of(384, 384), new float[384 * 384])) {
            MemoryPool memory = engine.devices().getFirst().memory();
            List<Long> kept = new ArrayList<>();
            for (Value v : List.of(a, b, c, a, b, c, a)) {
                s.feed(x.edge(), fed).fetch(v.edge()).run().close();
                kept.add(memory.bytesInUse());
            }
            long one = kept.getFirst();
            assertEquals(List.of(one, one, one, one, 2 * one, one, 2 * one), kept);
        }
    }

    @Test
    void explainTellsWhatABudgetSavesAndCosts() {
        TrainingModel m = new TrainingModel();
        m.x = m.ops.placeholder("x", DType.F32, Shape.of(2048, 32));
        Value h = m.x;
        for (int i = 0; i < 24; i++)
            h = h.matMul(m.parameter("w" + i, 0.2, 32, 32)).tanh();
        m.train(h);
        String text;
        try (Session s = Session.open(m.graph, EngineOptions.defaults().withMemoryBudget(4 << 20))) {
            text = s.explain(List.of(m.x.edge()), List.of(m.loss.edge()), m.updates, false);
        }
        assertTrue(
                text.replaceAll("\\R", " ")
                        .matches(".*budget of 4,194,304 bytes, of which variables take [\\d,]+; .*peak as written +"
                                + "[\\d,]+ bytes +peak after reordering +[\\d,]+ bytes +peak after recomputing .*nodes are "
                                + "computed twice, which adds [\\d.]+ % to the step's work.*peak memory of a step: .*"),
                text);
    }
}
