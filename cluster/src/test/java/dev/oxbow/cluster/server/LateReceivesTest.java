package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.trace.Span;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One task multiplies by matrices that another one makes, one after the other. */
@Timeout(300)
final class LateReceivesTest {
    private static final int SIZE = 384, MATRICES = 12;
    private static final EngineOptions ENGINE = EngineOptions.defaults().withThreads(1);
    private static final ServerOptions OPTIONS =
            ServerOptions.defaults().withEngine(ENGINE).withEventLoops(1);

    private float[] result;

    /** The most bytes of values that had come, or were coming, and waited for who reads them. */
    private long peak(ServerOptions options, boolean late) {
        Graph graph = new Graph();
        Ops ops = Ops.in(graph);
        Value x = ops.placeholder("x", DType.F32, Shape.of(SIZE, SIZE)), y = x;
        Value[] made = new Value[MATRICES];
        Map<String, String> readers = new HashMap<>();
        try (var _ = graph.device("/job:worker/task:0")) {
            for (int i = 0; i < MATRICES; i++) made[i] = x.plus(i);
        }
        try (var _ = graph.device("/job:worker/task:1")) {
            for (Value m : made) {
                y = y.matMul(m);
                readers.put(m.edge().node().name(), y.edge().node().name());
                y = y.tanh();
            }
            y = y.sum(0);
        }
        StepTrace trace = new StepTrace();
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), options, LocalCluster.Links.MESSAGES);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLateReceives(late));
                Tensor fed = Tensor.zeros(DType.F32, Shape.of(SIZE, SIZE));
                Results r = s.feed(x.edge(), fed)
                        .fetch(y.edge())
                        .options(RunOptions.none().withTracer(trace))
                        .run()) {
            result = r.get(0).floats();
        }
        return peak(trace.spans(), readers);
    }

    private static long peak(List<Span> spans, Map<String, String> readers) {
        TreeMap<Long, Long> changes = new TreeMap<>();
        for (Span s : spans) {
            if (s.kind() != Span.Kind.RECEIVE) continue;
            String value = s.tensor().replaceFirst("^edge_\\d+_(.*)_\\d+$", "$1"), reader = readers.get(value);
            if (reader == null) continue;
            long read = spans.stream()
                    .filter(x -> x.nodes().contains(reader))
                    .mapToLong(Span::to)
                    .max()
                    .orElseThrow();
            changes.merge(s.from(), s.bytes(), Long::sum);
            changes.merge(read, -s.bytes(), Long::sum);
        }
        long now = 0, most = 0;
        for (long change : changes.values()) most = Math.max(most, now += change);
        return most;
    }

    @Test
    void valuesThatAreAskedForLateLowerWhatATaskHolds() {
        long early = peak(OPTIONS, false);
        float[] before = result;
        long late = peak(OPTIONS, true), one = SIZE * SIZE * 4;
        assertArrayEquals(before, result);
        assertEquals(MATRICES * one, early);
        assertTrue(late <= 3 * one, early + " bytes, and late " + late);
    }

    @Test
    void aTaskWithAMemoryBudgetAsksLateByItself() {
        peak(OPTIONS, false);
        float[] before = result;
        long late = peak(OPTIONS.withEngine(ENGINE.withMemoryBudget(1 << 30)), false), one = SIZE * SIZE * 4;
        assertArrayEquals(before, result);
        assertTrue(late <= 3 * one, late + " bytes");
    }
}
