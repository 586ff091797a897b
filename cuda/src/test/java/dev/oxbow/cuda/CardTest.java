package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only a card can show; skipped where there is none. */
final class CardTest {

    @BeforeEach
    void needsACard() {
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            assumeTrue(card(engine) != null, "there is no card, see ./oxbow doctor");
        }
    }

    private static Device card(Engine engine) {
        return engine.devices().stream()
                .filter(d -> d.spec().type().equals("GPU"))
                .findFirst()
                .orElse(null);
    }

    private static List<Double> losses(Engine engine, int steps) {
        CardModel m = new CardModel();
        List<Double> all = new ArrayList<>();
        try (Session s = m.open(engine, SessionOptions.defaults())) {
            for (int i = 0; i < steps; i++) all.add(m.train(s));
        }
        return all;
    }

    @Test
    void twoHundredStepsInDoubleAreTheCpusAndRepeat() {
        try (Engine card = new Engine(EngineOptions.defaults());
                Engine cpu = CardModel.onlyCpu()) {
            List<Double> got = losses(card, 200), again = losses(card, 200), wanted = losses(cpu, 200);
            assertEquals(got, again);
            for (int i = 0; i < wanted.size(); i++) {
                double off = Math.abs(got.get(i) - wanted.get(i)) / wanted.get(i);
                assertTrue(off < 1e-9, "step " + i + ": " + got.get(i) + ", wanted " + wanted.get(i));
            }
        }
    }

    /** Trains until steps are graphs, then does {@code wrong}, which must fail with a message and leave the session usable. */
    private static void failing(SessionOptions options, Wrong wrong, String message) {
        CardModel m = new CardModel();
        try (Engine card = new Engine(EngineOptions.defaults());
                Session s = m.open(card, options)) {
            for (int i = 0; i < 5; i++) m.train(s);
            double[] before = m.weights(s);
            for (int again = 0; again < 2; again++) {
                OxbowException e = assertThrows(OxbowException.class, () -> wrong.step(m, s));
                assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), e::getMessage);
                assertTrue(e.getMessage().contains(message), e::getMessage);
                assertArrayEquals(before, m.weights(s));
            }
            m.train(s);
            assertTrue(before[0] != m.weights(s)[0], "the session goes on");
        }
    }

    @FunctionalInterface
    private interface Wrong {
        void step(CardModel m, Session s);
    }

    @Test
    void aWrongLabelFailsTheStepByNameAndLeavesVariablesAsTheyWere() {
        failing(
                SessionOptions.defaults(),
                (m, s) -> m.train(s, 0, 12, 1),
                "Received a label value of 12 which is outside the valid range of [0, 10). labels[7]");
    }

    @Test
    void anIndexOutOfRangeFailsTheStepByNameAndLeavesVariablesAsTheyWere() {
        failing(SessionOptions.defaults(), (m, s) -> m.train(s, 32, 0, 1), "indices[7] = 32 is not in [0, 32)");
    }

    @Test
    void aStepThatFailsLeavesAllStateAsItWas() {
        try (Engine card = new Engine(EngineOptions.defaults())) {
            assertEquals(List.of(), new KeptState("/device:CPU:0").faults(card));
        }
    }

    @Test
    void whatIsNotANumberFailsTheStepThatIsCheckedAndLeavesVariablesAsTheyWere() {
        failing(
                SessionOptions.defaults().withCheckNumerics(true),
                (m, s) -> m.train(s, 0, 0, Double.NaN),
                "holds NaN at element");
    }

    @Test
    void aStepThatWantsMoreMemoryThanThereIsFailsByNameAndTheSessionGoesOn() {
        CardModel m = new CardModel();
        Value wide =
                m.w0.value().reshape(1, 24 * 24).times(m.ops.constant(Tensor.zeros(DType.F64, Shape.of(1 << 20, 1))));
        String before = System.setProperty("oxbow.cuda.memory", "1000000000");
        try (Engine card = new Engine(EngineOptions.defaults());
                Session s = m.open(card, SessionOptions.defaults())) {
            for (int i = 0; i < 5; i++) m.train(s);
            double[] weights = m.weights(s);
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(wide.edge()).run().get(0).close());
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code(), e::getMessage);
            assertArrayEquals(weights, m.weights(s));
            m.train(s);
        } finally {
            if (before == null) System.clearProperty("oxbow.cuda.memory");
            else System.setProperty("oxbow.cuda.memory", before);
        }
    }

    private static long open() {
        String[] files = new File("/proc/self/fd").list();
        return files == null ? 0 : files.length;
    }

    /** What the card's memory holds of this process, in its driver's words; where it does not say, what is left for all. */
    private static long taken() throws IOException, InterruptedException {
        Process p;
        try {
            p = new ProcessBuilder("nvidia-smi", "--query-compute-apps=pid,used_gpu_memory", "--format=csv,noheader")
                    .start();
        } catch (IOException e) {
            return -Driver.freeMemory();
        }
        String own = ProcessHandle.current().pid() + ",";
        List<String> lines = p.inputReader().lines().toList();
        assertTrue(p.waitFor(20, TimeUnit.SECONDS), "nvidia-smi does not end");
        return lines.stream()
                .filter(l -> l.startsWith(own) && l.endsWith("MiB"))
                .mapToLong(l -> Long.parseLong(l.replaceAll(".*, (\\d+) MiB", "$1")))
                .findFirst()
                .orElseGet(() -> -Driver.freeMemory());
    }

    @Test
    void tenThousandStepsTakeNoMoreMemoryAndFilesThanTen() throws Exception {
        CardModel m = new CardModel();
        try (Engine card = new Engine(EngineOptions.defaults());
                Session s = m.open(card, SessionOptions.defaults())) {
            var memory = card(card).memory();
            var host = card.devices().stream()
                    .filter(d -> d.spec().type().equals("CPU"))
                    .findFirst()
                    .orElseThrow()
                    .memory();
            for (int i = 0; i < 10; i++) m.train(s);
            long reserved = memory.bytesReserved(), used = memory.bytesInUse(), taken = taken();
            long files = open(), ours = host.bytesReserved();
            for (int i = 0; i < 10_000; i++) m.train(s);
            assertEquals(reserved, memory.bytesReserved());
            assertEquals(used, memory.bytesInUse());
            assertEquals(taken, taken(), "what the driver gave");
            assertEquals(ours, host.bytesReserved());
            assertEquals(files, open());
        }
    }

    @Test
    void layersOfCellsOverTimeAreTheCpusAndRepeat() {
        try (Engine engine = new Engine(EngineOptions.defaults());
                Engine cpu = CardModel.onlyCpu()) {
            for (CellsOverTime.Sizes sizes : CellsOverTime.ALL) {
                long runs = Fallback.runs();
                CellsOverTime.Compared c = new CellsOverTime(sizes).compared(engine, cpu);
                assertTrue(c.off() <= CellsOverTime.BOUND, () -> sizes + " is off by " + c.off());
                assertTrue(c.repeats(), sizes::toString);
                assertEquals(runs, Fallback.runs(), sizes::toString);
            }
        }
    }

    @Test
    void expressionsHaveTheBitsOfTheCpu() {
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", DType.F32, Shape.of(1 << 14));
        Value y = x.exp()
                .plus(x.tanh())
                .times(x.sigmoid())
                .plus(x.abs().plus(1).log())
                .plus(x.sin());
        float[] v = new float[1 << 14];
        Random r = new Random(5);
        for (int i = 0; i < v.length; i++) v[i] = (float) (r.nextGaussian() * Math.pow(10, r.nextInt(5) - 3));
        v[0] = Float.NaN;
        v[1] = Float.POSITIVE_INFINITY;
        v[2] = Float.NEGATIVE_INFINITY;
        v[3] = -0f;
        v[4] = Float.MIN_VALUE;
        float[][] results = new float[2][];
        try (Engine card = new Engine(EngineOptions.defaults());
                Engine cpu = CardModel.onlyCpu();
                Tensor in = Tensor.of(Shape.of(v.length), v)) {
            int k = 0;
            for (Engine e : List.of(card, cpu))
                try (Session s = Session.open(ops.graph(), e, SessionOptions.defaults());
                        Tensor t = s.feed(x.edge(), in).fetch(y.edge()).run().get(0)) {
                    results[k++] = t.floats();
                }
        }
        for (int i = 0; i < v.length; i++)
            assertEquals(
                    Float.floatToIntBits(results[1][i]), Float.floatToIntBits(results[0][i]), "element of " + v[i]);
    }
}
