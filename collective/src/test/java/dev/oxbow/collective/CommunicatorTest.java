package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.cost.CostModel;
import dev.oxbow.net.memory.Network;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class CommunicatorTest {

    private static void assertFails(ErrorCode code, String message, Executable call) {
        var e = assertThrows(OxbowException.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(code, e.code());
    }

    @Test
    void wrongArgumentsAreRefusedBeforeAnythingMoves() {
        try (Job job = new Job(2);
                Tensor t = Tensor.zeros(DType.F32, Shape.of(4))) {
            Group g = job.rank(0).world();
            Elements x = Elements.of(t);
            Options o = Options.DEFAULT;
            assertFails(
                    INVALID_ARGUMENT,
                    "broadcast of group world: root must be in [0, 2), got 2",
                    () -> g.broadcast(x, 2, o));
            assertFails(
                    INVALID_ARGUMENT,
                    "all-reduce of group world: xor is not defined for f32",
                    () -> g.allReduce(x, Reduction.XOR, o));
            assertFails(
                    INVALID_ARGUMENT,
                    "reduce-scatter of group world: counts must be 2 numbers >= 0 with the sum 4, got [1, 2]",
                    () -> g.reduceScatter(x, new long[] {1, 2}, Reduction.SUM, o));
            assertFails(
                    INVALID_ARGUMENT,
                    "gather of group world: rank 0 has 4 elements, but counts say 3",
                    () -> g.gather(x, new long[] {3, 5}, 1, o));
            assertFails(
                    INVALID_ARGUMENT,
                    "all-reduce of group world: algorithm ring can not be used in deterministic mode",
                    () -> g.allReduce(
                            x, Reduction.SUM, o.withDeterministic(true).withAlgorithm("ring")));
            assertFails(
                    INVALID_ARGUMENT,
                    "broadcast of group world: can not be bf16 on the wire",
                    () -> g.broadcast(x, 0, o.withWire(WireFormat.BF16)));
            assertFails(INVALID_ARGUMENT, "group world has no rank 5, only 0 to 1", () -> g.send(x, 5, o));
            assertFails(INVALID_ARGUMENT, "send of group world: rank 0 can not send to itself", () -> g.send(x, 0, o));
            assertFails(
                    INVALID_ARGUMENT,
                    "subgroup of group world: needs different ranks, got [1, 1]",
                    () -> g.subgroup(1, 1));
        }
    }

    @RepeatedTest(30)
    void severalThreadsWaitAndCallbacksMayBeginMore() {
        int threads = 4, rounds = 50;
        try (Job job = new Job(2)) {
            job.run(c -> {
                ExecutorService pool = Executors.newFixedThreadPool(threads);
                List<Future<?>> futures = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    int thread = t;
                    futures.add(pool.submit(() -> {
                        for (int i = 0; i < rounds; i++) {
                            try (Tensor x = Tensor.of(Shape.of(1), thread + i)) {
                                Options o = Options.named("thread " + thread);
                                c.world().allReduce(x, Reduction.SUM, o).await();
                                assertEquals(2 * (thread + i), x.ints()[0]);
                            }
                        }
                    }));
                }
                for (Future<?> f : futures) f.get(60, TimeUnit.SECONDS);
                pool.shutdown();
                CountDownLatch ended = new CountDownLatch(1);
                Tensor x = Tensor.of(Shape.of(1), 1);
                c.world().allReduce(x).whenDone(_ -> c.world().allReduce(x).whenDone(_ -> ended.countDown()));
                assertTrue(ended.await(60, TimeUnit.SECONDS));
                assertEquals(4, x.ints()[0]);
                x.close();
                return null;
            });
        }
    }

    @Test
    void aWaitMayEndBeforeTheCollective() {
        try (Job job = new Job(2);
                Tensor t = Tensor.zeros(DType.F32, Shape.of(4))) {
            Pending p = job.rank(0).world().allReduce(t);
            assertFalse(p.await(Duration.ofMillis(20)));
            try (Tensor u = Tensor.zeros(DType.F32, Shape.of(4))) {
                job.rank(1).world().allReduce(u).await();
            }
            assertTrue(p.await(Duration.ofSeconds(60)));
        }
    }

    @Test
    void aClosedCommunicatorSaysSo() {
        Job job = new Job(1);
        job.close();
        try (Tensor t = Tensor.zeros(DType.F32, Shape.of(4))) {
            Pending p = job.rank(0).world().allReduce(t);
            assertFails(FAILED_PRECONDITION, "rank 0 has closed its communicator", p::await);
        }
    }

    @Test
    void aCommunicatorThatIsSteppedByHandDoesNotWait() {
        List<Network> networks = Network.mesh(2);
        try (Communicator a = Communicator.stepped(networks.get(0), Job.CONFIG);
                Communicator b = Communicator.stepped(networks.get(1), Job.CONFIG);
                Tensor x = Tensor.of(Shape.of(1), 3f);
                Tensor y = Tensor.of(Shape.of(1), 4f)) {
            Pending p = a.world().allReduce(x), q = b.world().allReduce(y);
            assertFails(FAILED_PRECONDITION, "Communicator: rank 0 is stepped by hand, and can not wait", p::await);
            for (int i = 0; i < 100 && !(p.isDone() && q.isDone()); i++) {
                a.step();
                b.step();
            }
            p.await();
            assertArrayEquals(new float[] {7}, x.floats());
            assertArrayEquals(new float[] {7}, y.floats());
        }
    }

    @Test
    void linksAreMeasuredAlikeOnAllRanks() {
        try (Job job = new Job(3)) {
            List<CostModel> costs = job.run(c -> {
                c.measure();
                return c.costs();
            });
            assertEquals(costs.get(0), costs.get(1));
            assertEquals(costs.get(0), costs.get(2));
            assertTrue(
                    costs.get(0).inside().latency() < 1 && costs.get(0).inside().bandwidth() > 1e6);
            assertTrue(job.rank(0).world().costs().contains("ring"));
        }
    }

    @Test
    void spansOfCallsAndWaitsAreWritten(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("trace.json");
        long before = System.currentTimeMillis() * 1000;
        try (Job job = new Job(2)) {
            job.run(c -> {
                try (Tensor t = Tensor.zeros(DType.F32, Shape.of(100_000))) {
                    c.world()
                            .allReduce(
                                    t, Reduction.SUM, Options.named("a \"b\"").withAlgorithm("ring"))
                            .await();
                }
                return null;
            });
            job.rank(1).trace().write(file);
        }
        String json = Files.readString(file);
        assertTrue(json.startsWith("{\"traceEvents\":["), json);
        assertTrue(
                json.contains("\"name\":\"all-reduce 'a \\\"b\\\"'\",\"cat\":\"collective\",\"ph\":\"X\",\"pid\":1"),
                json);
        assertTrue(json.contains("\"algorithm\":\"ring\",\"bytes\":400000}"), json);
        assertTrue(json.contains("\"waiter\":1,\"for\":0,"), json);
        double ts = Double.parseDouble(json.replaceAll("(?s).*?\"ts\":([0-9.]+).*", "$1"));
        assertTrue(ts > before - 1e7 && ts < before + 1e9, "ts " + ts);
    }

    @Test
    void aRankThatLeavesAnAllReduceInSharedMemoryIsNamed() {
        List<Network> networks = Network.mesh(3);
        List<Communicator> ranks = new ArrayList<>();
        List<Pending> pending = new ArrayList<>();
        for (Network n : networks) ranks.add(Communicator.stepped(n, Job.CONFIG));
        for (Communicator c : ranks) {
            Elements x = c.allocate(DType.F32, 8 << 20);
            pending.add(c.world().allReduce(x, Reduction.SUM, Options.named("x").withAlgorithm("shared")));
        }
        for (int i = 0; i < 6; i++) ranks.forEach(Communicator::step);
        assertFalse(pending.stream().anyMatch(Pending::isDone));
        assertTrue(ranks.get(0).step(), "combines");
        ranks.get(1).close();
        while (!pending.get(0).isDone() || !pending.get(2).isDone()) {
            ranks.get(0).step();
            ranks.get(2).step();
        }
        String start = "all-reduce 'x' of group world: rank 1 closed its communicator";
        for (int r : new int[] {0, 2})
            assertEquals(start, pending.get(r).error().getMessage().substring(0, start.length()));
        ranks.get(0).close();
        ranks.get(2).close();
    }
}
