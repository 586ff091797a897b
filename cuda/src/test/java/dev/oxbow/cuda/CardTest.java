package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only a card can show; skipped where there is none. */
final class CardTest {
    private static final int BATCH = 32;
    private static final int WIDTH = 24;

    @BeforeEach
    void needsACard() {
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            boolean any =
                    engine.devices().stream().anyMatch(d -> d.spec().type().equals("GPU"));
            assumeTrue(any, "there is no card, see ./oxbow doctor");
        }
    }

    private static Engine cpu() {
        return new Engine(
                EngineOptions.defaults(), (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
    }

    /** A perceptron of two layers in f64 with its step of gradient descent. */
    private static final class Model {
        final Ops ops = Ops.in(new Graph());
        final Value x = ops.placeholder("x", DType.F64, Shape.of(BATCH, WIDTH));
        final Value y = ops.placeholder("y", DType.I32, Shape.of(BATCH));
        final Parameter w0 = Parameter.of("w0", ops.constant(random(1, WIDTH, WIDTH)));
        final Parameter w1 = Parameter.of("w1", ops.constant(random(2, WIDTH, 10)));
        final Value loss;
        final List<Node> step;

        Model() {
            Value logits = x.matMul(w0.value()).tanh().matMul(w1.value());
            loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), logits, y)
                    .get(0)
                    .mean();
            step = Minimiser.descent(0.5).minimise(loss, List.of(w0, w1)).nodes();
        }

        static Tensor random(long seed, long... shape) {
            Random r = new Random(seed);
            double[] v = new double[(int) Shape.of(shape).size()];
            for (int i = 0; i < v.length; i++) v[i] = r.nextGaussian() * 0.3;
            return Tensor.of(Shape.of(shape), v);
        }

        Session open(Engine engine) {
            Session s = Session.open(ops.graph(), engine, SessionOptions.defaults());
            s.target(w0.initialiser(), w1.initialiser()).run();
            return s;
        }

        double train(Session s, Tensor labels) {
            try (Tensor in = random(3, BATCH, WIDTH);
                    Tensor out = s.feed(x.edge(), in)
                            .feed(y.edge(), labels)
                            .fetch(loss.edge())
                            .target(step.toArray(Node[]::new))
                            .run()
                            .get(0)) {
                return out.getDouble(0);
            }
        }

        double[] weights(Session s) {
            try (Tensor t = s.fetch(w0.value().edge()).run().get(0)) {
                return t.doubles();
            }
        }
    }

    private static Tensor labels() {
        int[] v = new int[BATCH];
        for (int i = 0; i < v.length; i++) v[i] = i % 10;
        return Tensor.of(Shape.of(BATCH), v);
    }

    private static List<Double> losses(Engine engine, int steps) {
        Model m = new Model();
        List<Double> all = new ArrayList<>();
        try (Session s = m.open(engine);
                Tensor labels = labels()) {
            for (int i = 0; i < steps; i++) all.add(m.train(s, labels));
        }
        return all;
    }

    @Test
    void twoHundredStepsInDoubleAreTheCpusAndRepeat() {
        try (Engine card = new Engine(EngineOptions.defaults());
                Engine cpu = cpu()) {
            List<Double> got = losses(card, 200), again = losses(card, 200), wanted = losses(cpu, 200);
            assertEquals(got, again);
            for (int i = 0; i < wanted.size(); i++) {
                double off = Math.abs(got.get(i) - wanted.get(i)) / wanted.get(i);
                assertTrue(off < 1e-9, "step " + i + ": " + got.get(i) + ", wanted " + wanted.get(i));
            }
        }
    }

    @Test
    void aWrongLabelFailsTheStepByNameAndLeavesVariablesAsTheyWere() {
        Model m = new Model();
        try (Engine card = new Engine(EngineOptions.defaults());
                Session s = m.open(card);
                Tensor good = labels();
                Tensor bad = labels()) {
            bad.setLong(7, 12);
            for (int i = 0; i < 5; i++) m.train(s, good); // the last ones from a graph
            double[] before = m.weights(s);
            OxbowException e = assertThrows(OxbowException.class, () -> m.train(s, bad));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertTrue(
                    e.getMessage()
                            .contains(
                                    "Received a label value of 12 which is outside the valid range of [0, 10). labels[7]"),
                    e::getMessage);
            assertArrayEquals(before, m.weights(s));
            m.train(s, good);
            assertTrue(before[0] != m.weights(s)[0], "the session goes on");
        }
    }

    @Test
    void aThousandStepsTakeNoMoreMemoryThanTen() {
        Model m = new Model();
        try (Engine card = new Engine(EngineOptions.defaults());
                Session s = m.open(card);
                Tensor labels = labels()) {
            var memory = card.devices().stream()
                    .filter(d -> d.spec().type().equals("GPU"))
                    .findFirst()
                    .orElseThrow()
                    .memory();
            for (int i = 0; i < 10; i++) m.train(s, labels);
            long reserved = memory.bytesReserved(), used = memory.bytesInUse();
            for (int i = 0; i < 1000; i++) m.train(s, labels);
            assertEquals(reserved, memory.bytesReserved());
            assertEquals(used, memory.bytesInUse());
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
                Engine cpu = cpu();
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
