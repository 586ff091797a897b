package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Node;
import dev.oxbow.net.HostPort;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps over sockets that break off in the middle, which are run again: their pushes count once. */
@Timeout(300)
final class RetriedPushesTest {
    private static final int STEPS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Two parameters, one for each server, whose gradients are ones. */
    private static Model model() {
        Model m = new Model(3, DType.F64);
        Value x = m.input("x", DType.F64, -1, 1);
        Value a = m.parameter("a", 1, 8), b = m.parameter("b", 1, 8);
        m.loss = x.matMul(a).plus(x.matMul(b)).sum();
        m.updates.addAll(Minimiser.descent(1).minimise(m.loss, m.parameters).nodes());
        return m;
    }

    private static void step(Model m, ServerSession s) {
        try (Tensor x = Tensor.of(Shape.of(1, 1), 1.0)) {
            s.feed(m.inputs.getFirst().edge(), x)
                    .target(m.updates.toArray(Node[]::new))
                    .run()
                    .close();
        }
    }

    @Test
    void aStepWhoseConnectionsBreakOffIsRunAgainAndCountsOnce() throws Exception {
        long seed = 5;
        SplittableRandom random = new SplittableRandom(seed);
        ClusterSpec real = LocalCluster.onFreePorts(Map.of("ps", 2, "worker", 1));
        List<BreakingProxy> proxies = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (int k = 0; k < 2; k++) {
            HostPort to = real.address(new TaskName("ps", k));
            proxies.add(new BreakingProxy(to, random.split()));
            seen.add("127.0.0.1:" + proxies.getLast().port());
        }
        TaskName own = new TaskName("worker", 0);
        ClusterSpec through = ClusterSpec.json("{\"ps\": [\"%s\", \"%s\"], \"worker\": [\"%s\"]}"
                .formatted(seen.get(0), seen.get(1), real.address(own)));
        ServerOptions options =
                ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));
        ServerOptions calls = options.withLinks(options.links().withOn(false)); // values go the same way
        Plan plan = Plan.parameterServer(2, 1).async();
        int failed = 0;
        try (Server _ = new Server(real, new TaskName("ps", 0), calls);
                Server _ = new Server(real, new TaskName("ps", 1), calls);
                Server worker = new Server(through, own, calls)) {
            Model m = model();
            SessionOptions waits = SessionOptions.defaults().withTimeout(PATIENCE);
            try (ServerSession s = plan.at(worker.target()).reopening(m.graph, 0, waits)) {
                s.target(m.parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                        .run()
                        .close();
                double[] begin = m.numbers(s, List.of());
                for (int i = 0; i < STEPS; i++) {
                    if (random.nextInt(2) == 0) proxies.get(random.nextInt(2)).breakSoon();
                    for (boolean fails = false, done = false; !done; ) {
                        try {
                            if (fails) assertEquals(0, s.reopen(PATIENCE).size(), "seed " + seed);
                            fails = true;
                            step(m, s);
                            done = true;
                        } catch (OxbowException e) {
                            assertEquals(ErrorCode.Category.PEER, e.code().category(), "seed " + seed + ": " + e);
                            assertTrue(++failed < 10 * STEPS, "seed " + seed + " does not end: " + e);
                        }
                    }
                }
                proxies.forEach(BreakingProxy::heal);
                double[] end = m.numbers(s, List.of());
                for (int i = 0; i < end.length; i++) assertEquals(STEPS, begin[i] - end[i], 1e-9, "seed " + seed);
                for (long v : s.versions()) assertEquals(STEPS, v, "seed " + seed);
                assertTrue(failed > 5, "seed " + seed + ": only " + failed + " steps failed");
            }
        } finally {
            for (BreakingProxy p : proxies) p.close();
        }
    }
}
