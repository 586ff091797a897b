package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ClockOffset;
import dev.oxbow.wire.trace.Span;
import dev.oxbow.wire.trace.TraceFile;
import dev.oxbow.wire.trace.Waits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A step of three tasks in processes of their own, as it is traced, read by the rules of the format. */
@Timeout(300)
final class TraceTest {
    /** On a busy machine a new process may be silent for long; nobody is lost here. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1)
            .withLostAfter(PATIENCE);

    @TempDir
    Path folder;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(64, 64));

    private Value on(int task, Value v) {
        try (var _ = graph.device("/job:worker/task:" + task)) {
            return v.matMul(v).tanh();
        }
    }

    /** A value that goes from task to task, and round again. */
    private Value round() {
        Value y = x;
        for (int i = 0; i < 7; i++) y = on(i % 3, y);
        return y;
    }

    private StepTrace traced(Session s, Value y) {
        StepTrace trace = null;
        for (int i = 0; i < 3; i++) {
            trace = new StepTrace();
            s.feed(x.edge(), Tensor.zeros(DType.F32, Shape.of(64, 64)))
                    .fetch(y.edge())
                    .options(RunOptions.none().withTracer(trace))
                    .run()
                    .close();
        }
        return trace;
    }

    @Test
    void aStepOfThreeTasksIsOneFileThatKeepsTheRulesOfTheFormat() throws Exception {
        Value y = round();
        Path file = folder.resolve("step.json");
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)), OPTIONS, LocalCluster.Links.PROCESSES);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE))) {
            StepTrace trace = traced(s, y);
            trace.write(file);
            List<ClockOffset> clocks = trace.stats().getClockList();
            assertEquals(3, clocks.size());
            for (ClockOffset o : clocks) assertTrue(o.getErrorNanos() >= 0 && o.getErrorNanos() < 1e9, o::toString);
        }
        JsonObject all = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        List<JsonObject> events = new ArrayList<>();
        for (JsonElement e : all.getAsJsonArray("traceEvents")) events.add(e.getAsJsonObject());
        checkNesting(events);
        checkFlows(events);
        List<Span> spans = TraceFile.read(file);
        Set<String> ran = new HashSet<>();
        for (Span s : spans) if (s.kind() == Span.Kind.RUN) ran.addAll(s.nodes());
        for (Node n : graph.nodes())
            if (n.op().signature().name().equals("MatMul")) assertTrue(ran.contains(n.name()), n.name() + " of " + ran);
        assertTrue(spans.stream().anyMatch(s -> s.nodes().size() > 1) || ran.size() > 7, ran::toString);
        List<Waits.Pair> waits = Waits.of(spans);
        assertEquals(3, waits.size(), waits::toString);
        for (Waits.Pair p : waits) {
            assertTrue(p.unmade() >= 0 && p.moving() >= 0, p::toString);
            assertEquals(2 * 64 * 64 * 4, p.bytes(), p::toString);
        }
    }

    /** Slices of a track lie within each other or beside each other. */
    private static void checkNesting(List<JsonObject> events) {
        Map<String, List<JsonObject>> tracks = new HashMap<>();
        for (JsonObject e : events)
            if (e.get("ph").getAsString().equals("X"))
                tracks.computeIfAbsent(e.get("pid") + " " + e.get("tid"), _ -> new ArrayList<>())
                        .add(e);
        assertTrue(tracks.size() >= 6, tracks.keySet()::toString);
        for (List<JsonObject> track : tracks.values()) {
            track.sort(Comparator.comparingDouble((JsonObject e) -> from(e)).thenComparing(e -> -to(e)));
            Deque<Double> open = new ArrayDeque<>();
            for (JsonObject e : track) {
                while (!open.isEmpty() && open.peek() <= from(e)) open.pop();
                assertTrue(open.isEmpty() || to(e) <= open.peek() + 1e-4, e::toString);
                open.push(to(e));
            }
        }
    }

    private static double from(JsonObject e) {
        return e.get("ts").getAsDouble();
    }

    private static double to(JsonObject e) {
        return from(e) + e.get("dur").getAsDouble();
    }

    /** Each flow has one start and one end that is not before it, each within a slice of its track. */
    private static void checkFlows(List<JsonObject> events) {
        Map<Integer, JsonObject> starts = new HashMap<>(), ends = new HashMap<>();
        for (JsonObject e : events) {
            String ph = e.get("ph").getAsString();
            if (!ph.equals("s") && !ph.equals("f")) continue;
            assertEquals(null, (ph.equals("s") ? starts : ends).put(e.get("id").getAsInt(), e));
            assertTrue(
                    events.stream()
                            .anyMatch(x -> x.get("ph").getAsString().equals("X")
                                    && x.get("pid").equals(e.get("pid"))
                                    && x.get("tid").equals(e.get("tid"))
                                    && from(x) <= from(e)
                                    && from(e) <= to(x)),
                    e::toString);
        }
        assertEquals(6, starts.size());
        assertEquals(starts.keySet(), ends.keySet());
        starts.forEach((id, s) -> assertTrue(from(ends.get(id)) >= from(s) - 0.002, s + " and " + ends.get(id)));
    }

    @Test
    void oneOfSoManyStepsIsTracedIntoAFile() throws Exception {
        Value y = round();
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)),
                        OPTIONS.withTraces(4, folder),
                        LocalCluster.Links.CALLS);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE))) {
            for (int i = 0; i < 9; i++)
                s.feed(x.edge(), Tensor.zeros(DType.F32, Shape.of(64, 64)))
                        .fetch(y.edge())
                        .run()
                        .close();
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertEquals(2, all.size(), all::toString);
            for (Path f : all) assertFalse(Waits.of(TraceFile.read(f)).isEmpty());
        }
    }

    @Test
    void aFolderOfTracesKeepsTheLastOnesEachUnderItsOwnName() throws Exception {
        Value y = round();
        Path other = Files.writeString(folder.resolve("step-1.json"), "not ours");
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)),
                        OPTIONS.withTraces(1, folder).withTraceFiles(5),
                        LocalCluster.Links.CALLS);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE))) {
            Set<Path> seen = new HashSet<>();
            for (int i = 0; i < 12; i++) {
                s.feed(x.edge(), Tensor.zeros(DType.F32, Shape.of(64, 64)))
                        .fetch(y.edge())
                        .run()
                        .close();
                try (Stream<Path> files = Files.list(folder)) {
                    List<Path> now = files.filter(f -> !f.equals(other)).toList();
                    assertEquals(Math.min(i + 1, 5), now.size(), now::toString);
                    seen.addAll(now);
                    assertEquals(i + 1, seen.size(), "each step has a file of its own, and the oldest goes");
                }
            }
        }
        assertTrue(Files.exists(other));
    }

    @Test
    void aStatusNamesTasksAndWhoWaitsForWhom() throws Exception {
        Value y = round();
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)), OPTIONS, LocalCluster.Links.MESSAGES);
                Session s = Session.open(
                        c.target(), graph, SessionOptions.defaults().withLostAfter(PATIENCE))) {
            traced(s, y);
            var answers = ClusterStatus.ask(c.spec(), OPTIONS.security(), Duration.ofSeconds(20));
            assertEquals(c.spec().tasks(), List.copyOf(answers.keySet()));
            answers.forEach((task, a) -> {
                assertEquals(task.toString(), a.status().getTask());
                assertEquals(1, a.status().getDeviceCount());
                assertEquals(3, a.status().getStepsEnded());
                assertEquals(1, a.status().getWorkerSessions());
                assertEquals(task.task() == 0 ? 1 : 0, a.status().getSessions());
                assertEquals(0, a.status().getWaitCount());
                assertTrue(a.status().getLink(0).getSharedMemory());
            });
            c.server("worker", 2).close();
            var gone = ClusterStatus.ask(c.spec(), OPTIONS.security(), Duration.ofSeconds(20))
                    .get(c.spec().tasks().get(2));
            assertEquals("/job:worker/replica:0/task:2", gone.error().task());
        }
    }
}
