package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.server.waits.TestWait;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A graph whose nodes take long and wish for nothing is spread over the tasks once that was measured. */
@Timeout(300)
final class CostPlacementTest {
    /** On a busy machine a new process may be silent for long; nobody is lost here. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1)
            .withLostAfter(PATIENCE);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(8));

    private Value waits(Value v, int millis) {
        return ops.add(new TestWait(millis), v).getFirst();
    }

    /** Three branches of two nodes each, which join. */
    private Value branches(int millis) {
        Value a = waits(waits(x, millis), millis);
        Value b = waits(waits(x.plus(1), millis), millis);
        Value c = waits(waits(x.plus(2), millis), millis);
        return a.plus(b).plus(c);
    }

    private double millis(Session s, Value y) {
        long from = System.nanoTime();
        try (Tensor fed = Tensor.zeros(DType.F32, Shape.of(8));
                Results r = s.feed(x.edge(), fed).fetch(y.edge()).run()) {
            assertEquals(3f, r.get(0).floats()[0]);
        }
        return (System.nanoTime() - from) / 1e6;
    }

    private String explained(Session s, Value y) {
        return s.explain(List.of(x.edge()), List.of(y.edge()), List.of(), false);
    }

    @Test
    void whatWasMeasuredSpreadsAGraphAndTheNextSessionKnowsItAtOnce() {
        Value y = branches(20);
        SessionOptions learns =
                SessionOptions.defaults().withLostAfter(PATIENCE).withMeasuredSteps(3);
        try (LocalCluster c = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", 3)), OPTIONS, LocalCluster.Links.PROCESSES)) {
            try (Session s = Session.open(c.target(), graph, learns)) {
                for (int i = 0; i < 2; i++) millis(s, y);
                assertTrue(!explained(s, y).contains("by cost"), () -> explained(s, y));
                millis(s, y);
                assertTrue(explained(s, y).contains("by cost"), () -> explained(s, y));
            }
            try (Session again = Session.open(c.target(), graph, learns)) {
                assertTrue(explained(again, y).contains("by cost"), () -> explained(again, y));
            }
        }
    }

    @Test
    void whatWasMeasuredOutlivesTheMasterThatMeasuredIt(@TempDir Path folder) throws Exception {
        Value y = branches(20);
        SessionOptions learns =
                SessionOptions.defaults().withLostAfter(PATIENCE).withMeasuredSteps(1);
        ServerOptions keeps = OPTIONS.withCostFolder(folder);
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 3));
        try (LocalCluster c = LocalCluster.start(spec, keeps, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, learns)) {
            assertTrue(!explained(s, y).contains("by cost"), () -> explained(s, y));
            String after = "";
            for (int i = 0; i < 30 && !after.contains("measured: "); i++) { // under load nodes may move more than once
                millis(s, y);
                after = explained(s, y);
            }
            assertTrue(after.contains("by cost") && after.contains("before: ") && after.contains("measured: "), after);
        }
        try (LocalCluster c = LocalCluster.start(spec, keeps, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, learns)) {
            assertTrue(explained(s, y).contains("by cost"), () -> explained(s, y));
        }
        Path file = folder.resolve(folder.toFile().list()[0]);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        try (LocalCluster c = LocalCluster.start(spec, keeps, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, learns)) {
            assertTrue(!explained(s, y).contains("by cost"), () -> "a file with a wrong byte: " + explained(s, y));
        }
    }

    @Test
    @Tag("long")
    void theSecondPlacementIsFasterByWhatWasPredicted() {
        Value y = branches(200);
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)), OPTIONS, LocalCluster.Links.PROCESSES);
                Session s = Session.open(
                        c.target(),
                        graph,
                        SessionOptions.defaults().withLostAfter(PATIENCE).withMeasuredSteps(4))) {
            double first = median(s, y);
            millis(s, y); // measured
            double second = median(s, y);
            String after = "";
            int percent = 0;
            // one measured step may be held up by others
            for (int i = 0; i < 5 && (percent < 75 || percent > 133); i++) {
                if (i > 0) median(s, y);
                millis(s, y);
                after = explained(s, y);
                Matcher m = Pattern.compile("measured: +[\\d.]+ ms, (\\d+) %").matcher(after);
                assertTrue(m.find(), after);
                percent = Integer.parseInt(m.group(1));
            }
            assertTrue(first >= 1.5 * second, first + " and " + second + " ms, " + after);
            System.getLogger("placement")
                    .log(System.Logger.Level.INFO, "{0} ms, then {1} ms\n{2}", first, second, after);
            assertTrue(percent >= 75 && percent <= 133, after);
        }
    }

    private double median(Session s, Value y) {
        double[] all = new double[3];
        for (int i = 0; i < all.length; i++) all[i] = millis(s, y);
        Arrays.sort(all);
        return all[1];
    }

    @Test
    void quickNodesAndThoseWithAWishStayWhereTheyAre() {
        Value y = branches(0), wished;
        try (var _ = graph.device("/job:worker/task:1")) {
            wished = y.plus(1);
        }
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 3)), OPTIONS, LocalCluster.Links.CALLS);
                Session s = Session.open(
                        c.target(),
                        graph,
                        SessionOptions.defaults().withLostAfter(PATIENCE).withMeasuredSteps(2))) {
            for (int i = 0; i < 4; i++) millis(s, y);
            String where = s.explain(List.of(x.edge()), List.of(wished.edge()), List.of(), false);
            assertTrue(!where.contains("by cost"), where);
            assertTrue(where.contains("_fetch/0 wishes '/job:worker/task:1'"), where);
        }
    }
}
