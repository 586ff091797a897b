package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Random graphs with gradients give on a card what they give on the CPU; skipped where there is none. */
final class CardGraphsTest {
    private static final int GRAPHS = 200;

    /** The first runs of a region go as they come and are noted, later ones are a graph of the card. */
    private static final int RUNS = 4;

    private static Engine onlyCpu() {
        return new Engine(
                EngineOptions.defaults(), (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
    }

    @Test
    void twoHundredRandomGraphsGiveTheSameOnACard() {
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            assumeTrue(
                    engine.devices().stream().anyMatch(d -> d.spec().type().equals("GPU")),
                    "there is no card, see ./oxbow doctor");
        }
        int differentiated = 0;
        for (long seed = 0; seed < GRAPHS; seed++) if (compare(seed)) differentiated++;
        assertTrue(differentiated > GRAPHS / 3, differentiated + " of " + GRAPHS + " graphs have gradients");
    }

    /** Compares one graph, and gives whether gradients were among what was compared. */
    private static boolean compare(long seed) {
        RandomGraph g = new RandomGraph(seed);
        List<String> fetches = new ArrayList<>(g.fetches);
        PlacementInvarianceTest.addGradients(g, fetches);
        try (Engine card = new Engine(EngineOptions.defaults());
                Engine cpu = onlyCpu();
                Session there = Session.open(g.graph, card, SessionOptions.defaults());
                Session here = Session.open(g.graph, cpu, SessionOptions.defaults())) {
            if (!g.initialisers.isEmpty())
                for (Session s : List.of(there, here)) s.run(Map.of(), List.of(), g.initialisers);
            for (int run = 0; run < RUNS; run++) {
                List<Tensor> wanted = here.run(g.feeds, fetches, List.of()),
                        got = there.run(g.feeds, fetches, List.of());
                for (int i = 0; i < got.size(); i++)
                    DifferentialTest.assertNear(
                            wanted.get(i), got.get(i), "seed " + seed + ", run " + run + ", " + fetches.get(i));
            }
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + g.graph.listing(), e);
        }
        return fetches.size() > g.fetches.size();
    }
}
