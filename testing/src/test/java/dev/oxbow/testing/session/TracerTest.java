package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tracer sees each thing that a step does, once. */
@Timeout(300)
final class TracerTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));

    private record Event(String device, List<String> nodes, long from, long to) {}

    private static final class Log implements Tracer {
        final Collection<Event> events = new ConcurrentLinkedQueue<>();

        @Override
        public void done(String device, List<Node> nodes, long from, long to) {
            events.add(new Event(device, nodes.stream().map(Node::name).toList(), from, to));
        }

        /** How often each node was seen. */
        Map<String, Integer> counts() {
            Map<String, Integer> counts = new TreeMap<>();
            for (Event e : events) for (String n : e.nodes) counts.merge(n, 1, Integer::sum);
            return counts;
        }

        String deviceOf(String node) {
            return events.stream()
                    .filter(e -> e.nodes.contains(node))
                    .map(Event::device)
                    .collect(Collectors.joining());
        }
    }

    /** What the third run did; by then it follows a plan, if it may. */
    private Log traced(EngineOptions devices, SessionOptions options, Value... fetches) {
        try (Session s = Session.open(graph, devices, options)) {
            Log log = null;
            Tensor data = Tensor.zeros(DType.F32, Shape.of(64, 64));
            for (int i = 0; i < 3; i++) {
                log = new Log();
                Session.Run run =
                        s.feed(x.edge(), data).options(RunOptions.none().withTracer(log));
                for (Value f : fetches) run.fetch(f.edge());
                run.run().close();
            }
            return log;
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void everyNodeIsSeenOnceWithThoseThatRunAsOneKernel(boolean optimises, boolean plans) {
        Value a = x.tanh(), b = a.exp(), product = b.matMul(b), c = product.tanh(), sum = c.sum();
        Log log = traced(
                EngineOptions.defaults().withThreads(2),
                SessionOptions.defaults().withOptimise(optimises).withPlans(plans),
                sum);
        Map<String, Integer> counts = log.counts();
        for (Value v : List.of(a, b, product, c, sum))
            assertEquals(1, counts.get(v.edge().node().name()), v + " in " + log.events);
        counts.forEach((n, times) -> assertEquals(1, times, n));
        for (Event e : log.events) assertTrue(e.from <= e.to && e.device.endsWith("/device:CPU:0"), e::toString);
        boolean fused = log.events.stream()
                .anyMatch(e -> e.nodes.contains(a.edge().node().name())
                        && e.nodes.contains(b.edge().node().name()));
        assertEquals(optimises && plans, fused);
    }

    @Test
    void ofTwoDevicesEachSaysWhatItDid() {
        Value a = x.tanh(), b, c;
        try (var _ = graph.device("cpu:1")) {
            b = a.exp();
        }
        c = b.matMul(x);
        Log log = traced(EngineOptions.defaults().withCpuDevices(2), SessionOptions.defaults(), c);
        log.counts().forEach((n, times) -> assertEquals(1, times, n));
        assertTrue(log.deviceOf(a.edge().node().name()).endsWith("CPU:0"));
        assertTrue(log.deviceOf(b.edge().node().name()).endsWith("CPU:1"));
        assertTrue(log.deviceOf(c.edge().node().name()).endsWith("CPU:0"));
        assertEquals(
                2,
                log.counts().keySet().stream()
                        .filter(n -> n.startsWith("_send/"))
                        .count());
        assertEquals(
                2,
                log.counts().keySet().stream()
                        .filter(n -> n.startsWith("_recv/"))
                        .count());
    }

    @Test
    void aNodeOfALoopIsSeenInEachIteration() {
        List<Value> loop = ops.whileLoop(
                v -> v.get(0).less(ops.constant(5)),
                v -> List.of(v.get(0).plus(1), v.get(1).matMul(v.get(1)).tanh()),
                List.of(ops.constant(0), x));
        for (boolean plans : new boolean[] {true, false}) {
            Log log = traced(EngineOptions.defaults(), SessionOptions.defaults().withPlans(plans), loop.get(1));
            Map<String, Integer> counts = log.counts();
            String product = counts.keySet().stream()
                    .filter(n -> n.endsWith("MatMul"))
                    .findAny()
                    .orElseThrow();
            assertEquals(5, counts.get(product), counts::toString);
            String less = counts.keySet().stream()
                    .filter(n -> n.endsWith("Less"))
                    .findAny()
                    .orElseThrow();
            assertEquals(6, counts.get(less), counts::toString);
        }
    }

    @Test
    void aBranchThatIsNotTakenIsNotSeen() {
        Value go = x.sum().less(ops.constant(1f));
        Value y = ops.cond(go, () -> List.of(x.tanh()), () -> List.of(x.matMul(x)))
                .getFirst();
        Log log = traced(EngineOptions.defaults(), SessionOptions.defaults(), y);
        assertTrue(log.counts().keySet().stream().noneMatch(n -> n.endsWith("MatMul")), log.events::toString);
        assertTrue(log.counts().keySet().stream().anyMatch(n -> n.endsWith("Tanh")), log.events::toString);
    }
}
