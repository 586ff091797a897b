package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a long life leaves behind: nothing. */
@Tag("long")
@Timeout(1200)
final class SoakTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withEventLoops(1);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    /** What a process holds. */
    private record State(long bytes, long heap, Set<String> threads, long descriptors, Set<String> shared) {
        static State of(List<Server> servers, long wanted) throws IOException {
            long bytes = collected(servers, wanted);
            Set<String> threads = Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .filter(t -> t.startsWith("oxbow-links") || t.startsWith("oxbow-worker") && !t.contains("-slow-"))
                    .map(t -> t.replaceFirst("events-\\d+", "events"))
                    .collect(Collectors.toCollection(TreeSet::new));
            return new State(bytes, leastHeap(), threads, files("/proc/self/fd").size(), files("/dev/shm"));
        }

        private static Set<String> files(String folder) throws IOException {
            try (Stream<Path> all = Files.list(Path.of(folder))) {
                return all.map(f -> f.getFileName().toString())
                        .filter(f -> !folder.equals("/dev/shm") || f.contains("oxbow"))
                        .collect(Collectors.toCollection(TreeSet::new));
            }
        }
    }

    /** Bytes of tensors; those of graphs that are forgotten come back by collections, until there are no more than wanted. */
    private static long collected(List<Server> servers, long wanted) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            System.gc();
            long now = MemoryPool.shared().bytesInUse();
            for (Server s : servers)
                for (Device d : s.engine().devices()) now += d.memory().bytesInUse();
            if (now <= wanted || System.nanoTime() > end) return now;
        }
    }

    private static long leastHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }

    private Value on(int task, Value v) {
        try (var _ = graph.device("/job:worker/task:" + task)) {
            return v.plus(1);
        }
    }

    @Test
    void aThousandStepsWithAFaultEachLeaveNothingBehind() throws Exception {
        long seed = 20261118;
        Value x = ops.placeholder("x", DType.I32, Shape.SCALAR);
        Value got, bad;
        try (var _ = graph.device("/job:worker/task:1")) {
            Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
            bad = ops.constant(Tensor.of(Shape.of(3), 1f, 2f, 3f)).gather(x, 0);
        }
        Value stuck = on(0, got),
                fails = on(0, bad),
                large = on(1, on(0, ops.constant(Tensor.zeros(DType.F32, Shape.of(1 << 16)))));
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        TaskName one = new TaskName("worker", 1);
        Server second = new Server(spec, one, OPTIONS);
        try (Server first = new Server(spec, new TaskName("worker", 0), OPTIONS)) {
            Random random = new Random(seed);
            State before = null;
            Session s = Session.open(first.target(), graph, SessionOptions.defaults());
            for (int i = 0; i < 1_100; i++) {
                Session now = s;
                int kind = i % 20 == 19 ? 2 : random.nextInt(2);
                if (kind == 0) {
                    OxbowException e = assertThrows(
                            OxbowException.class,
                            () -> now.feed(x.edge(), Tensor.scalar(17))
                                    .fetch(fails.edge())
                                    .run(),
                            "seed " + seed);
                    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), e.getMessage());
                } else if (kind == 1) {
                    Cancellation c = new Cancellation();
                    Thread.ofVirtual().start(() -> c.cancel(ErrorCode.CANCELLED, "enough"));
                    OxbowException e = assertThrows(
                            OxbowException.class,
                            () -> now.fetch(stuck.edge(), large.edge())
                                    .options(new RunOptions(null, c))
                                    .run());
                    assertEquals(ErrorCode.CANCELLED, e.code(), e.getMessage());
                } else {
                    Server gone = second;
                    Thread.ofVirtual().start(gone::close);
                    assertThrows(
                            OxbowException.class, () -> now.fetch(stuck.edge()).run(), "step " + i);
                    gone.close();
                    s.close();
                    second = new Server(spec, one, OPTIONS);
                    s = Session.open(first.target(), graph, SessionOptions.defaults());
                }
                if (i == 99) before = settled(List.of(first, second), 2 << 20);
            }
            State after = settled(List.of(first, second), before.bytes);
            s.close();
            assertTrue(after.bytes <= before.bytes + (1 << 20), before + " and " + after);
            assertTrue(after.heap <= before.heap + (16 << 20), before.heap + " and " + after.heap);
            assertTrue(after.threads.size() <= before.threads.size(), before.threads + " and " + after.threads);
            assertTrue(after.descriptors <= before.descriptors + 2, before.descriptors + " and " + after.descriptors);
            assertEquals(before.shared, after.shared);
            System.getLogger("soak").log(System.Logger.Level.INFO, "{0}\n{1}", before, after);
        } finally {
            second.close();
        }
    }

    private static State settled(List<Server> servers, long wanted) throws IOException {
        for (Server s : servers) {
            assertTrue(s.localWorker().steps().await(n -> n == 0, LIMIT), "steps end");
            assertTrue(s.localWorker().sessions().await(n -> n <= 1, LIMIT), "sessions end");
        }
        return State.of(servers, wanted);
    }

    @Test
    void aHundredThousandNullStepsLeaveTheHeapAsItWas() throws Exception {
        Node nothing;
        Value one;
        try (var _ = graph.device("/job:worker/task:0")) {
            nothing = graph.add(new NoOp(), List.of());
        }
        one = on(1, ops.constant(1f));
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            State before = null;
            for (int i = 1; i <= 220_000; i++) {
                if (i % 10 == 0) s.fetch(one.edge()).run().close();
                else s.target(nothing).run().close();
                if (i == 120_000) before = settled(c.servers(), 1 << 20); // the numbers of 100,000 steps are kept
            }
            State after = settled(c.servers(), before.bytes);
            System.getLogger("soak").log(System.Logger.Level.INFO, "{0}\n{1}", before, after);
            assertTrue(after.heap <= before.heap + (4 << 20), before.heap + " and " + after.heap);
            assertTrue(after.bytes <= before.bytes, before.bytes + " and " + after.bytes);
            assertTrue(after.threads.size() <= before.threads.size(), before.threads + " and " + after.threads);
            assertTrue(after.descriptors <= before.descriptors, before.descriptors + " and " + after.descriptors);
        }
    }

    @Test
    void aClusterThatIsClosedLeavesNoThreadNoSocketAndNoFile() throws Exception {
        Value y = on(1, on(0, ops.constant(Tensor.zeros(DType.F32, Shape.of(1 << 18)))));
        run(y); // what a process makes once
        State before = State.of(List.of(), 8 << 20);
        for (int i = 0; i < 5; i++) run(y);
        for (Thread t : Thread.getAllStackTraces().keySet())
            if (t.getName().startsWith("oxbow-worker"))
                t.join(Duration.ofSeconds(20)); // it may be at its last instruction
        State after = State.of(List.of(), before.bytes);
        Set<String> more = new TreeSet<>(after.threads);
        more.removeAll(before.threads);
        assertTrue(more.isEmpty(), "threads that were not there: " + more);
        assertTrue(after.descriptors <= before.descriptors, before.descriptors + " and " + after.descriptors);
        assertEquals(before.shared, after.shared);
        assertTrue(after.bytes <= before.bytes, before.bytes + " and " + after.bytes);
    }

    private void run(Value y) {
        try (LocalCluster c = LocalCluster.start(
                        LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES);
                Session s = Session.open(c.target(), graph, SessionOptions.defaults())) {
            for (int i = 0; i < 3; i++) s.fetch(y.edge()).run().close();
        }
    }
}
