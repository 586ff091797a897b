package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What devices, sessions and programs of one process share, and what each has for itself. */
@Timeout(300)
final class SharedEngineTest {

    @Test
    void eachDeviceOfASessionKeepsItsOwnBudget() {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        List<Parameter> inputs = new ArrayList<>();
        List<Edge> fetches = new ArrayList<>();
        for (int d = 0; d < 2; d++) {
            try (var _ = graph.device("cpu:" + d)) {
                Parameter x = Parameter.of("x" + d, ops.constant(Tensor.of(Shape.of(128, 256), ramp(128 * 256))));
                Value w = ops.constant(Tensor.of(Shape.of(256, 256), ramp(256 * 256))), h = x.value();
                for (int i = 0; i < 12; i++) h = h.matMul(w).tanh();
                inputs.add(x);
                fetches.add(Gradients.of(h.sum(), x.value()).getFirst().edge());
            }
        }
        EngineOptions two = EngineOptions.defaults().withCpuDevices(2);
        StringBuilder text = new StringBuilder();
        List<float[]> expected = run(graph, two, inputs, fetches, new StringBuilder());
        List<float[]> actual = run(graph, two.withMemoryBudget(Long.MAX_VALUE, 1_400_000), inputs, fetches, text);
        for (int i = 0; i < 2; i++) assertArrayEquals(expected.get(i), actual.get(i), "device " + i);
        int first = text.indexOf("program on"), second = text.indexOf("program on", first + 1);
        String limited = text.substring(first, second);
        assertFalse(text.substring(0, first).contains("computed twice"), text::toString);
        assertTrue(limited.contains("budget of 1,400,000 bytes"), text::toString);
        assertTrue(limited.matches("(?s).*; [1-9]\\d* nodes are computed twice.*"), text::toString);
    }

    private static List<float[]> run(
            Graph graph, EngineOptions devices, List<Parameter> inputs, List<Edge> fetches, StringBuilder text) {
        try (Engine engine = new Engine(devices);
                Session s = Session.open(graph, engine)) {
            for (Parameter x : inputs) s.target(x.initialiser()).run();
            List<float[]> values = null;
            for (int i = 0; i < 3; i++) {
                try (Results r = s.fetch(fetches.toArray(Edge[]::new)).run()) {
                    values = r.stream().map(Tensor::floats).toList();
                }
            }
            text.append(s.explain(List.of(), fetches, List.of(), false));
            for (Device d : engine.devices())
                assertTrue(d.memory().peakBytes() <= d.memory().budgetInBytes(), d.name());
            return values;
        }
    }

    private static float[] ramp(int n) {
        float[] all = new float[n];
        for (int i = 0; i < n; i++) all[i] = (i % 29 - 14) / 256f;
        return all;
    }

    @Test
    void tenSessionsAtOnceHaveTheThreadsOfOnePool() throws Exception {
        int before = workers(), most = Math.max(Runtime.getRuntime().availableProcessors() - 1, 2);
        try (ExecutorService callers = Executors.newFixedThreadPool(10)) {
            List<Future<Integer>> ends = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                int number = i;
                ends.add(callers.submit(() -> steps(number)));
            }
            int seen = 0;
            for (Future<Integer> end : ends) seen = Math.max(seen, end.get());
            assertTrue(seen <= Math.max(before, most), seen + " threads");
        }
    }

    /** Runs steps whose numbers nobody else has; the most workers that were there. */
    private static int steps(int number) {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        int n = 64 + number;
        Value x = ops.placeholder("x", DType.F32, Shape.of(n, n));
        Value y = x.matMul(x).plus(number).tanh().matMul(x).sum();
        int most = 0;
        Tensor data = Tensor.of(Shape.of(n, n), ramp(n * n));
        float expected = Float.NaN;
        try (Session s = Session.open(graph, EngineOptions.defaults().withThreads(3))) {
            for (int i = 0; i < 60; i++) {
                try (Results r = s.feed(x.edge(), data).fetch(y.edge()).run()) {
                    float got = r.get(0).floats()[0];
                    if (i > 0) assertEquals(expected, got, "session " + number + ", step " + i);
                    expected = got;
                }
                most = Math.max(most, workers());
            }
        }
        try (Session s = Session.open(graph, EngineOptions.defaults().withThreads(1));
                Results r = s.feed(x.edge(), data).fetch(y.edge()).run()) {
            assertEquals(expected, r.get(0).floats()[0], "alone, session " + number);
        }
        return most;
    }

    private static int workers() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().matches("oxbow-\\d+"))
                .count();
    }

    @Test
    void aProgramBeyondTheBoundGivesItsMemoryBack() {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));
        List<Value> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Value h = x;
            for (int k = 0; k <= i; k++) h = h.matMul(x).tanh();
            all.add(h.matMul(x).sum());
        }
        long few = held(graph, x, all, 2),
                last = held(graph, x, all.subList(3, 5), 256),
                many = held(graph, x, all, 256);
        assertTrue(last > 0);
        assertEquals(last, few);
        assertTrue(many > few, many + " with five programs, " + few + " with two");
    }

    /** The memory that a session holds after each program has run a few times. */
    private static long held(Graph graph, Value x, List<Value> fetches, int programs) {
        Tensor data = Tensor.of(Shape.of(64, 64), ramp(64 * 64));
        try (Engine engine = new Engine(EngineOptions.defaults().withThreads(2));
                Session s =
                        Session.open(graph, engine, SessionOptions.defaults().withPrograms(programs))) {
            for (Value f : fetches)
                for (int i = 0; i < 3; i++)
                    s.feed(x.edge(), data).fetch(f.edge()).run().close();
            return engine.devices().getFirst().memory().bytesInUse();
        }
    }
}
