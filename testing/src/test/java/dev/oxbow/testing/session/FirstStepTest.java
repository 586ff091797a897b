package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps are planned before the first of them where shapes are known, and their memory is that of the plan from then on. */
final class FirstStepTest {
    private static final int BATCH = 256, WIDTH = 256, LAYERS = 6;

    private static Value deep(Value x, Parameter w) {
        for (int i = 0; i < LAYERS; i++)
            x = x.matMul(w.value()).tanh().times(1.5).plus(0.25);
        return x.square().mean();
    }

    private static Tensor ramp(long rows, long columns) {
        float[] values = new float[Math.toIntExact(rows * columns)];
        for (int i = 0; i < values.length; i++) values[i] = (i % 13 - 6) * 0.01f;
        return Tensor.of(Shape.of(rows, columns), values);
    }

    @Test
    void theFirstStepTakesNoMoreMemoryThanLaterOnes() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, WIDTH));
        Parameter w = Parameter.of("w", ops.constant(ramp(WIDTH, WIDTH)));
        Value loss = deep(x, w);
        Node update = Minimiser.descent(0.01).minimise(loss, List.of(w)).nodes().get(0);
        try (Engine engine = new Engine(EngineOptions.defaults());
                Session s = Session.open(g, engine);
                Tensor in = ramp(BATCH, WIDTH)) {
            s.target(w.initialiser()).run();
            MemoryPool pool = engine.devices().get(0).memory();
            s.feed(x.edge(), in).fetch(loss.edge()).target(update).run().forEach(Tensor::close);
            long peak = pool.peakBytes(), reserved = pool.bytesReserved();
            for (int i = 0; i < 5; i++)
                s.feed(x.edge(), in).fetch(loss.edge()).target(update).run().forEach(Tensor::close);
            assertEquals(peak, pool.peakBytes());
            assertEquals(reserved, pool.bytesReserved());
        }
    }

    @Test
    void aStepThatOnlyARunCanPlanGivesBackWhatThatRunTook() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, WIDTH)),
                rows = ops.placeholder("n", DType.I32, Shape.of(2));
        Parameter w = Parameter.of("w", ops.constant(ramp(WIDTH, WIDTH)));
        Value loss = deep(Value.apply(Ops.named("Reshape", Map.of()), x, rows), w);
        try (Engine engine = new Engine(EngineOptions.defaults());
                Session s = Session.open(g, engine);
                Tensor in = ramp(BATCH, WIDTH);
                Tensor shape = Tensor.of(Shape.of(2), BATCH, WIDTH)) {
            s.target(w.initialiser()).run();
            MemoryPool pool = engine.devices().get(0).memory();
            float[] losses = new float[4];
            for (int i = 0; i < losses.length; i++)
                try (Tensor t = s.feed(x.edge(), in)
                        .feed(rows.edge(), shape)
                        .fetch(loss.edge())
                        .run()
                        .get(0)) {
                    losses[i] = (float) t.getDouble(0);
                }
            for (float f : losses) assertEquals(losses[0], f);
            assertTrue(
                    pool.bytesReserved() - pool.bytesInUse() < 1 << 20,
                    pool.bytesReserved() + " bytes reserved, " + pool.bytesInUse() + " in use");
        }
    }

    @Test
    void aValueThatAVariableKeepsIsItsOwnFromTheSecondStepOn() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));
        Parameter v = Parameter.of("v", ops.constant(ramp(64, 64)));
        Value doubled = x.times(2).tanh();
        Node assign = g.add(
                Ops.named("AssignVariableOp", Map.of()), List.of(v.handle().edge(), doubled.edge()));
        try (Session s = Session.open(g)) {
            s.target(v.initialiser()).run();
            for (int step = 1; step <= 4; step++) {
                float[] values = new float[64 * 64];
                Arrays.fill(values, 0.1f * step);
                try (Tensor in = Tensor.of(Shape.of(64, 64), values)) {
                    s.feed(x.edge(), in).target(assign).run();
                }
                Arrays.fill(values, (float) Math.tanh(0.2f * step));
                try (Tensor now = s.target().fetch(v.value().edge()).run().get(0)) {
                    assertArrayEquals(values, now.floats(), 1e-5f);
                }
            }
        }
    }
}
