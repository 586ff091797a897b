package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.rpc.Traffic;
import dev.oxbow.cluster.server.LocalCluster.Links;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueManyV2;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What steps over several tasks cost: messages, bytes, compilations, threads. */
@Timeout(300)
final class StepsTest {
    private static final ServerOptions SMALL = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1);

    private static final Duration LONG = Duration.ofSeconds(120);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private static LocalCluster start(int tasks, ServerOptions options) {
        return LocalCluster.start(LocalCluster.onFreePorts(Map.of("worker", tasks)), options, Links.MESSAGES);
    }

    private static String task(int number) {
        return "/job:worker/task:" + number;
    }

    private Session open(LocalCluster c) {
        return Session.open(c.target(), graph, SessionOptions.defaults());
    }

    private static List<Map<String, Traffic.Count>> counts(LocalCluster c) {
        return c.servers().stream().map(s -> s.traffic().counts()).toList();
    }

    /**
     * Messages since then: requests and answers, without the answers to CleanupGraph, which nobody waits for, and without signs
     * of life, which are asked for by the clock.
     */
    private static long messages(LocalCluster c, List<Map<String, Traffic.Count>> before) {
        long sum = 0;
        for (int i = 0; i < before.size(); i++)
            for (var e : c.servers().get(i).traffic().since(before.get(i)).entrySet())
                sum += switch (e.getKey()) {
                    case "GetStatus" -> 0;
                    case "CleanupGraph" -> e.getValue().requests();
                    default -> e.getValue().requests() + e.getValue().answers();
                };
        return sum;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void aStepIsTwoMessagesForEachTaskAndTwoForEachValueAcross(int tasks) {
        Value x = ops.placeholder("x", DType.F32, Shape.of(4)), sum = null;
        int across = 0;
        for (int t = 0; t < tasks; t++) {
            Value here;
            try (var _ = graph.device(task(t))) {
                Value v = Parameter.of("v" + t, ops.constant(Tensor.of(Shape.of(4), 1f, 2f, 3f, t)))
                        .value();
                here = sum == null ? x.plus(v) : sum.plus(v).tanh();
            }
            if (t > 0) across++;
            sum = here;
        }
        List<Node> initialisers =
                graph.nodes().stream().filter(n -> n.name().endsWith("/assign")).toList();
        try (LocalCluster c = start(tasks, SMALL);
                Session s = open(c)) {
            s.target(initialisers.toArray(Node[]::new)).run().close();
            Tensor fed = Tensor.of(Shape.of(4), 1f, 1f, 1f, 1f);
            for (int i = 0; i < 3; i++)
                s.feed(x.edge(), fed).fetch(sum.edge()).run().close();
            await(c);
            var before = counts(c);
            long compiled = c.servers().getFirst().master().compiled();
            int steps = 10;
            for (int i = 0; i < steps; i++)
                s.feed(x.edge(), fed).fetch(sum.edge()).run().close();
            await(c);
            // where a step comes late, the end of the one before goes by itself
            long least = steps * (2L + 2 * (tasks - 1) + 2 * across), sent = messages(c, before);
            assertTrue(sent >= least && sent <= least + steps * (tasks - 1), sent + " messages, least are " + least);
            assertEquals(compiled, c.servers().getFirst().master().compiled());
        }
    }

    /** Waits until the workers were told of the end of all steps that they ran. */
    private static void await(LocalCluster c) {
        for (Server s : c.servers()) assertTrue(s.localWorker().steps().await(n -> n == 0, LONG));
    }

    @Test
    void sixtyFourStepsThatWaitHoldNoThreadOfTheSixtyFifth() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(64));
        Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 100, "", "q"))
                .getFirst();
        Value got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        Node put = graph.add(new QueueEnqueueManyV2(-1), List.of(queue.edge(), x.edge()));
        try (LocalCluster c = start(1, SMALL);
                Session s = open(c)) {
            List<CompletableFuture<Float>> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                CompletableFuture<Float> f = new CompletableFuture<>();
                all.add(f);
                Thread.ofVirtual().start(() -> {
                    try (Results r = s.fetch(got.edge()).run()) {
                        f.complete(r.get(0).floats()[0]);
                    } catch (Throwable e) {
                        f.completeExceptionally(e);
                    }
                });
            }
            assertTrue(c.servers().getFirst().localWorker().steps().await(n -> n >= 64, LONG));
            float[] numbers = new float[64];
            for (int i = 0; i < 64; i++) numbers[i] = i;
            s.feed(x.edge(), Tensor.of(Shape.of(64), numbers)).target(put).run().close();
            float[] sorted = new float[64];
            for (int i = 0; i < 64; i++) sorted[i] = all.get(i).get(60, TimeUnit.SECONDS);
            Arrays.sort(sorted);
            assertArrayEquals(numbers, sorted);
        }
    }

    @Test
    void aBlockedStepOfOneSessionDelaysNoOther() throws Exception {
        Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                .getFirst();
        Value got, fine;
        try (var _ = graph.device(task(1))) {
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
            fine = ops.constant(2f).plus(3);
        }
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (LocalCluster c = start(2, SMALL);
                Session other = open(c)) {
            Session blocked = open(c);
            Thread.ofVirtual().start(() -> {
                try {
                    blocked.fetch(got.edge()).run().close();
                    end.complete(null);
                } catch (Throwable e) {
                    end.complete(e);
                }
            });
            assertTrue(c.server("worker", 1).localWorker().steps().await(n -> n > 0, LONG));
            for (int i = 0; i < 20; i++)
                try (Results r = other.fetch(fine.edge()).run()) {
                    assertEquals(5f, r.get(0).floats()[0]);
                }
            assertTrue(!end.isDone());
            blocked.close();
            assertTrue(end.get(60, TimeUnit.SECONDS) != null, "its step ends with its session");
        }
    }
}
