package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ResourceScatterAdd;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.QueueDevice;
import dev.oxbow.testing.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Weights that products read in 16 bits are kept in these beside their f32, and nobody sees a difference. */
@Timeout(300)
final class ShadowsTest {
    private static final int STEPS = 6;

    private final Random random = new Random(21);
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(8, 12));
    private final List<Parameter> parameters = new ArrayList<>();

    private Tensor numbers(long... shape) {
        float[] all = new float[(int) Shape.of(shape).size()];
        for (int i = 0; i < all.length; i++) all[i] = (float) (0.5 * random.nextGaussian());
        return Tensor.of(Shape.of(shape), all);
    }

    private Parameter parameter(long... shape) {
        Parameter p = Parameter.of("p" + parameters.size(), ops.constant(numbers(shape)));
        parameters.add(p);
        return p;
    }

    private static SessionOptions mixed(Setting setting, DType half) {
        return setting.options().withRewrite(new MixedPrecision(half));
    }

    /** The losses of some steps and the last weights; with {@code anew}, weights are assigned before each, which forgets what was kept. */
    private List<float[]> trained(Setting setting, DType half, String optimizer, boolean anew) {
        Value h =
                x.matMul(parameter(12, 20).value()).plus(parameter(20).value()).tanh();
        List<Value> parts = parameter(20, 8).value().split(2, 1);
        Value loss =
                h.matMul(parts.get(0)).plus(h.matMul(parts.get(1))).square().mean();
        Minimiser how = optimizer.equals("adam") ? Minimiser.adam(0.01) : Minimiser.descent(0.1);
        Minimiser.Updates step = how.minimise(loss, parameters);
        List<Node> assigns = new ArrayList<>();
        for (Parameter p : parameters)
            assigns.add(graph.add(
                    new AssignVariableOp(false),
                    List.of(p.handle().edge(), p.value().times(1).edge())));
        List<float[]> all = new ArrayList<>();
        try (Engine engine = setting.engine();
                Session s = Session.open(graph, engine, mixed(setting, half))) {
            for (Parameter p : parameters) s.target(p.initialiser()).run();
            for (Parameter p : step.slots()) s.target(p.initialiser()).run();
            random.setSeed(22);
            for (int i = 0; i < STEPS; i++) {
                if (anew) s.target(assigns.toArray(Node[]::new)).run();
                try (Tensor fed = numbers(8, 12);
                        Results r = s.feed(x.edge(), fed)
                                .fetch(loss.edge())
                                .target(step.nodes().toArray(Node[]::new))
                                .run()) {
                    all.add(r.get(0).floats());
                }
            }
            for (Parameter p : parameters)
                all.add(s.fetch(p.value().edge()).run().get(0).floats());
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "PLAIN, BF16, adam",
        "PLAIN, BF16, descent",
        "PLAIN, F16, adam",
        "FOREIGN_MEMORY, BF16, adam",
        "FOREIGN_MEMORY, BF16, descent",
        "TWO_KINDS_OF_DEVICE, BF16, adam"
    })
    void trainingGivesTheBitsOfCastingWeightsInEveryStep(Setting setting, DType half, String optimizer) {
        ShadowsTest other = new ShadowsTest();
        List<float[]> kept = trained(setting, half, optimizer, false),
                cast = other.trained(setting, half, optimizer, true);
        for (int i = 0; i < kept.size(); i++) assertArrayEquals(cast.get(i), kept.get(i), "value " + i);
        assertNotEquals(kept.get(0)[0], kept.get(STEPS - 1)[0], "it learns");
    }

    /** The product of ones with the weights, in 16 bits. */
    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "FOREIGN_MEMORY"})
    void whateverChangesAVariableIsSeen(Setting setting) {
        Parameter p = Parameter.of("p", ops.constant(Tensor.of(Shape.of(2, 1), 1f, 2f)));
        Value y = ops.constant(Tensor.of(Shape.of(1, 2), 1f, 1f)).matMul(p.value());
        Node assign = graph.add(
                new AssignVariableOp(false),
                List.of(
                        p.handle().edge(),
                        ops.constant(Tensor.of(Shape.of(2, 1), 10f, 20f)).edge()));
        Node scatter = graph.add(
                new ResourceScatterAdd(),
                List.of(
                        p.handle().edge(),
                        ops.constant(Tensor.of(Shape.of(1), 1)).edge(),
                        ops.constant(Tensor.of(Shape.of(1, 1), 0.5f)).edge()));
        Minimiser.Updates step = Minimiser.descent(1).minimise(y.sum(), List.of(p));
        try (Engine engine = setting.engine();
                Session s = Session.open(graph, engine, mixed(setting, DType.BF16))) {
            s.target(p.initialiser()).run();
            float[] seen = new float[7];
            seen[0] = value(s, y);
            seen[1] = value(s, y);
            s.target(assign).run();
            seen[2] = value(s, y);
            s.target(scatter).run();
            seen[3] = value(s, y);
            s.target(step.nodes().toArray(Node[]::new)).run();
            seen[4] = value(s, y);
            s.target(step.nodes().toArray(Node[]::new)).run();
            seen[5] = value(s, y);
            s.target(p.initialiser()).run();
            seen[6] = value(s, y);
            assertArrayEquals(new float[] {3, 3, 30, 30.5f, 28.5f, 26.5f, 3}, seen);
        }
    }

    private static float value(Session s, Value y) {
        return s.fetch(y.edge()).run().get(0).floats()[0];
    }

    @Test
    void theStageIsShownAndLeavesNoCastOfAWeightThatAProductReads() {
        Value y = x.matMul(parameter(12, 4).value());
        Minimiser.Updates step = Minimiser.descent(0.1).minimise(y.square().mean(), parameters);
        try (Engine engine = Setting.PLAIN.engine();
                Session s = Session.open(graph, engine, mixed(Setting.PLAIN, DType.BF16))) {
            String text = s.explain(List.of(x.edge()), List.of(), step.nodes(), true);
            assertTrue(text.contains("shadows"), text);
            assertTrue(text.contains("_Shadow"), text);
        }
    }

    /** Two weights of 96 bytes in 16 bits are less than a 64th of 64 KB, and more than one of 8 KB. */
    @ParameterizedTest
    @CsvSource({"65536, true", "8192, false"})
    void whereMemoryIsScarceWeightsAreCastInEveryStep(long budget, boolean kept) {
        Value y = x.matMul(parameter(12, 4).value()).matMul(parameter(4, 12).value());
        try (Engine engine = new Engine(EngineOptions.defaults().withMemoryBudget(budget));
                Session s = Session.open(graph, engine, mixed(Setting.PLAIN, DType.BF16))) {
            String text = s.explain(List.of(x.edge()), List.of(y.edge()), List.of(), true);
            assertEquals(kept, text.contains("_Shadow"), text);
        }
    }

    @Test
    void aShadowIsWrittenWhereItLiesAndForgottenWhenSomethingElseWrites() {
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        Variable v = new Variable("v", DType.F32, Shape.of(2));
        v.assign(pool.tensor(DType.F32, Shape.of(2), "v"));
        Tensor value = v.read(), half = pool.tensor(DType.BF16, Shape.of(2), "half");
        v.keepShadow(value, half);
        long place = half.place();
        half.release();
        assertNull(v.shadow(value, DType.F16), "of another dtype");
        value.release();
        v.updateBoth(pool, (t, s) -> {
            assertEquals(place, s.place());
            return true;
        });
        value = v.read();
        Tensor read = v.shadow(value, DType.BF16);
        assertEquals(place, read.place());
        value.release();
        v.updateBoth(pool, (t, s) -> {
            assertNotEquals(place, s.place(), "somebody still reads the old one");
            return true;
        });
        assertNull(v.shadow(read, DType.BF16), "of a value that is not the variable's");
        read.release();
        v.update(pool, _ -> {});
        value = v.read();
        assertNull(v.shadow(value, DType.BF16));
        value.release();
        v.close();
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void anUpdateThatADeviceLeavesOutKeepsTheShadowOfTheOldValue() {
        MemoryPool pool = new QueueDevice(new CpuDevice("", 0, Long.MAX_VALUE, Parallel.SERIAL)).memory();
        Variable v = new Variable("v", DType.F32, Shape.of(2));
        Tensor old = pool.tensor(DType.F32, Shape.of(2), "v"), half = pool.tensor(DType.BF16, Shape.of(2), "half");
        try (Tensor ones = Tensor.of(Shape.of(2), 1f, 1f);
                Tensor inHalf = Tensor.zeros(DType.BF16, Shape.of(2))) {
            for (int i = 0; i < 2; i++) inHalf.set(i, 1);
            ones.copyTo(old);
            inHalf.copyTo(half);
        }
        v.assign(old);
        v.keepShadow(old, half);
        v.updateBoth(pool, (_, s) -> { // enqueued, and left out behind a fault; somebody still reads the old shadow
            assertNotEquals(half.place(), s.place());
            return true;
        });
        Tensor value = v.read(), read = v.shadow(value, DType.BF16), here = read.toHost();
        for (int i = 0; i < 2; i++) assertEquals(1, here.getDouble(i));
        for (Tensor t : List.of(here, read, value, half)) t.release();
        v.close();
    }
}
