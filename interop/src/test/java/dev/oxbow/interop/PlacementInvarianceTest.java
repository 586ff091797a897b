package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random graphs with their nodes pinned at random over the devices of several processes give what one device gives. */
final class PlacementInvarianceTest {
    private static final int TASKS = 4, DEVICES = 4;
    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        cluster = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", TASKS)),
                ServerOptions.defaults()
                        .withEngine(EngineOptions.defaults().withThreads(1).withCpuDevices(DEVICES)),
                LocalCluster.Links.PROCESSES);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Timeout(300)
    void fortyRandomGraphsGiveTheSameWhereverTheyRun() {
        compare(0, 40);
    }

    @Test
    @Tag("long")
    void threeHundredRandomGraphsGiveTheSameWhereverTheyRun() {
        compare(2_000, 300);
    }

    private static void compare(long first, int graphs) {
        int differentiated = 0;
        for (long seed = first; seed < first + graphs; seed++) if (compare(seed)) differentiated++;
        assertTrue(differentiated > graphs / 3, differentiated + " of " + graphs + " graphs have gradients");
    }

    /** Compares one graph, and gives whether gradients were among what was compared. */
    private static boolean compare(long seed) {
        RandomGraph g = new RandomGraph(seed);
        List<String> fetches = new ArrayList<>(g.fetches);
        addGradients(g, fetches);
        GraphDef pinned = pin(GraphExporter.write(g.graph), new Random(seed));
        Graph spread = GraphImporter.read(pinned);
        SessionOptions options = SessionOptions.defaults()
                .withSoftPlacement(true)
                .withTimeout(Duration.ofSeconds(60))
                .withService(
                        ConfigProto.class,
                        ConfigProto.newBuilder().setIsolateSessionState(true).build());
        try (Session one = Session.open(g.graph);
                Session many = Session.open(cluster.target(), spread, options)) {
            if (!g.initialisers.isEmpty()) {
                one.run(Map.of(), List.of(), g.initialisers);
                many.run(Map.of(), List.of(), g.initialisers);
            }
            for (int run = 0; run < 2; run++) {
                List<Tensor> wanted = one.run(g.feeds, fetches, List.of());
                List<Tensor> got = many.run(g.feeds, fetches, List.of());
                for (int i = 0; i < got.size(); i++)
                    DifferentialTest.assertNear(
                            wanted.get(i), got.get(i), "seed " + seed + ", run " + run + ", " + fetches.get(i));
            }
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + spread.listing(), e);
        }
        return fetches.size() > g.fetches.size();
    }

    /** What the last fetched value changes by with each fed one, where that is defined. */
    static void addGradients(RandomGraph g, List<String> fetches) {
        Value last = Value.of(g.graph.edge(g.fetches.getLast()));
        if (!last.dtype().isFloating()) return;
        for (String feed : g.feeds.keySet()) {
            try {
                Value dx = Gradients.of(last, Value.of(g.graph.edge(feed))).getFirst();
                if (dx != null) fetches.add(dx.edge().name());
            } catch (OxbowException e) {
                continue; // an op on the way has no gradient
            }
        }
    }

    /** Gives about half of the nodes a device among those of some tasks. */
    private static GraphDef pin(GraphDef def, Random random) {
        int tasks = 1 + random.nextInt(TASKS), devices = 1 + random.nextInt(DEVICES);
        GraphDef.Builder out = def.toBuilder();
        for (NodeDef.Builder n : out.getNodeBuilderList())
            if (random.nextBoolean())
                n.setDevice(
                        "/job:worker/task:%d/device:CPU:%d".formatted(random.nextInt(tasks), random.nextInt(devices)));
        return out.build();
    }
}
