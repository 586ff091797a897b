package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing that one device has is lost where exchanges cut a program. */
@Timeout(300)
final class BordersTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    /** The perceptron of the benchmarks, with fewer units. */
    private static Model perceptron() {
        Model m = new Model(1, DType.F32);
        Value x = m.input("x", DType.F32, 32, 98), y = m.input("y", DType.I32, 32), h = x;
        long[] widths = {98, 64, 32, 10};
        for (int i = 0; i < 3; i++) {
            h = h.matMul(m.parameter("w" + i, widths[i], widths[i + 1])).plus(m.parameter("b" + i, widths[i + 1]));
            if (i < 2) h = h.relu();
        }
        m.loss = Models.entropy(h, y).mean();
        m.updates.addAll(Minimiser.descent(0.05).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    private record Counts(int regions, int fused, int chains) {
        static Counts of(Session s, Model m) {
            List<Edge> feeds = m.inputs.stream().map(Value::edge).toList();
            String text = s.explain(feeds, List.of(m.loss.edge()), m.updates, false);
            return new Counts(found(text, "region \\d+ "), found(text, "fused: "), found(text, "chain: "));
        }

        private static int found(String text, String pattern) {
            int count = 0;
            for (Matcher m = Pattern.compile(pattern).matcher(text); m.find(); ) count++;
            return count;
        }
    }

    @Test
    void aRingHasTheKernelsAndChainsOfOneDeviceAndAtMostThreeMoreRegionsForEachBucket() {
        Counts alone;
        Model one = perceptron();
        try (Session s = Session.open(one.graph, ONE_THREAD)) {
            alone = Counts.of(s, one);
        }
        assertTrue(alone.fused > 0, alone.toString());
        for (long bytes : new long[] {100, 5000, 1 << 20}) {
            Plan plan = Plan.ring().withBucketBytes(bytes);
            String explained = plan.explain(
                    one.graph,
                    one.inputs.stream().map(Value::edge).toList(),
                    one.inputs.stream().map(Value::shape).toList(),
                    List.of(one.loss.edge()),
                    one.updates,
                    2);
            long buckets =
                    explained.lines().filter(l -> l.startsWith("  sum of [")).count();
            assertTrue(bytes < 5000 ? buckets > 2 : buckets >= 1, explained);
            try (Workers team = new Workers(2)) {
                team.run(job -> {
                    Model m = perceptron();
                    try (Session s = plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), job)) {
                        Counts ring = Counts.of(s, m);
                        String what = buckets + " buckets: " + ring + ", alone " + alone;
                        assertTrue(ring.regions <= alone.regions + 3 * buckets, what);
                        assertEquals(alone.fused, ring.fused, what);
                        assertEquals(alone.chains, ring.chains, what);
                    }
                    return null;
                });
            }
        }
    }
}
