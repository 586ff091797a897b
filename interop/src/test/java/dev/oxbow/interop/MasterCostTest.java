package dev.oxbow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a master does in a step does not grow with the graph. */
@Timeout(300)
final class MasterCostTest {
    private static final int STEPS = 150;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aStepOfTenThousandNodesCostsTheMasterWhatOneOfAHundredDoes() {
        double small = bytesPerStep(100), large = bytesPerStep(10_000);
        assertEquals(1, large / small, 0.2, large + " bytes beside " + small);
    }

    /** What the threads of the first task allocate for a step whose nodes are all in the second. */
    private static double bytesPerStep(int nodes) {
        Graph g = new Graph();
        Value x = Ops.in(g).placeholder("x", DType.F32, Shape.of(4)), y = x;
        try (var _ = g.device("/job:worker/task:1")) {
            for (int i = 0; i < nodes; i++) y = i % 2 == 0 ? y.plus(x) : y.tanh();
        }
        ServerOptions options =
                ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), options, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), g, SessionOptions.defaults())) {
            Tensor fed = Tensor.of(Shape.of(4), 1f, 2f, 3f, 4f);
            for (int i = 0; i < STEPS; i++)
                s.feed(x.edge(), fed).fetch(y.edge()).run().close();
            for (int attempt = 0; attempt < 20; attempt++) {
                Map<Long, Long> before = allocated();
                for (int i = 0; i < STEPS; i++)
                    s.feed(x.edge(), fed).fetch(y.edge()).run().close();
                Map<Long, Long> after = allocated();
                if (after.keySet().containsAll(before.keySet())) return (sum(after) - sum(before)) / (double) STEPS;
            }
            throw new AssertionError("in each of 20 attempts a thread ended, whose bytes are not known then");
        }
    }

    private static long sum(Map<Long, Long> bytes) {
        return bytes.values().stream().mapToLong(b -> b).sum();
    }

    /** By the numbers of threads. */
    private static Map<Long, Long> allocated() {
        Map<Long, Long> bytes = new HashMap<>();
        for (Thread t : Thread.getAllStackTraces().keySet())
            if (t.getName().startsWith("oxbow-worker-0"))
                bytes.put(t.threadId(), THREADS.getThreadAllocatedBytes(t.threadId()));
        return bytes;
    }
}
