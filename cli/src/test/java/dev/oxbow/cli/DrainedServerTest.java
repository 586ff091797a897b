package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server in a process of its own that is ended by SIGTERM while steps run in it. */
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
final class DrainedServerTest {
    private static final int SIGTERM_STATUS = 143;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final ClusterSpec cluster = LocalCluster.onFreePorts(Map.of("worker", 2));

    @TempDir
    private Path folder;

    private static String task(int number) {
        return "/job:worker/replica:0/task:" + number;
    }

    /** Task 1 as a process of our command line, and what it prints. */
    private final class Task implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;

        Task(String grace) throws IOException {
            Path file = Files.writeString(
                    folder.resolve("cluster.json"),
                    "{\"worker\": [\"%s\", \"%s\"]}"
                            .formatted(
                                    cluster.address(new TaskName("worker", 0)),
                                    cluster.address(new TaskName("worker", 1))));
            process = new ProcessBuilder(JavaCommand.ours(List.of(
                            "server",
                            "--cluster",
                            file.toString(),
                            "--job",
                            "worker",
                            "--task",
                            "1",
                            "--grace",
                            grace)))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = process.inputReader(StandardCharsets.UTF_8);
            assertEquals("serving " + task(1) + " at " + target(), out.readLine());
        }

        String target() {
            return "grpc://" + cluster.address(new TaskName("worker", 1));
        }

        void end() throws IOException {
            process.toHandle().destroy(); // SIGTERM
            assertEquals("ending " + task(1) + ": no new sessions and steps", out.readLine());
        }

        int status() throws InterruptedException {
            assertTrue(process.waitFor(240, TimeUnit.SECONDS), "it ends");
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private Session open(String target) {
        return Session.open(target, graph, SessionOptions.defaults().withTimeout(LIMIT));
    }

    private static CompletableFuture<Float> inBackground(Session s, Value v) {
        CompletableFuture<Float> f = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (Results r = s.fetch(v.edge()).run()) {
                f.complete(r.get(0).floats()[0]);
            } catch (Throwable e) {
                f.completeExceptionally(e);
            }
        });
        return f;
    }

    /** Waits until the task that will end has asked for so many values of steps, which it is in the middle of then. */
    private static void awaitAsked(Server other, int values) throws InterruptedException {
        while (other.traffic().counts().get("Want").requests() < values) Thread.sleep(1);
        assertEquals(values, other.traffic().counts().get("Want").requests());
    }

    private static void refused(Runnable what) {
        OxbowException e = assertThrows(OxbowException.class, what::run);
        assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
        assertEquals(task(1), e.task(), e.getMessage());
    }

    @Test
    void stepsThatRunEndAndNewSessionsAndStepsAreRefused() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), got, away, half, whole;
        Node put;
        try (var _ = graph.device(task(0))) {
            Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 9, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
            put = graph.add(new QueueEnqueueV2(-1), List.of(queue.edge(), x.edge()));
        }
        try (var _ = graph.device(task(1))) {
            away = got.plus(1);
            half = x.times(2);
            whole = half.plus(got);
        }
        Value back;
        try (var _ = graph.device(task(0))) {
            back = away.times(10);
        }
        try (Server other = new Server(cluster, new TaskName("worker", 0), ServerOptions.defaults());
                Task ending = new Task("60s");
                Session own = open(ending.target());
                Session foreign = open(other.target());
                PartialRun partly = own.partialRun(
                        List.of("x:0"), List.of(half.edge().name(), whole.edge().name()), List.of())) {
            assertEquals(
                    6f,
                    partly.run(
                                    Map.of("x:0", Tensor.scalar(3f)),
                                    List.of(half.edge().name()),
                                    LIMIT)
                            .getFirst()
                            .floats()[0]);
            CompletableFuture<Float> a = inBackground(own, back), b = inBackground(foreign, back);
            awaitAsked(other, 3);
            ending.end();
            refused(() -> open(ending.target()));
            refused(() -> own.fetch(half.edge()).run());
            refused(() ->
                    foreign.feed(x.edge(), Tensor.scalar(1f)).fetch(half.edge()).run());
            assertFalse(a.isDone() || b.isDone(), () -> a + ", " + b);
            // each step takes one of three equal values out, sends it to the task that ends, and reads what comes back
            for (int i = 0; i < 3; i++)
                foreign.feed(x.edge(), Tensor.scalar(4f)).target(put).run().close();
            assertEquals(50f, a.get(240, TimeUnit.SECONDS));
            assertEquals(50f, b.get(240, TimeUnit.SECONDS));
            assertEquals(
                    10f,
                    partly.run(Map.of(), List.of(whole.edge().name()), LIMIT)
                            .getFirst()
                            .floats()[0]);
            assertEquals("all steps have ended", ending.out.readLine());
            assertEquals(SIGTERM_STATUS, ending.status());
            refused(() ->
                    foreign.feed(x.edge(), Tensor.scalar(1f)).fetch(half.edge()).run());
        }
    }

    @Test
    void aStepThatDoesNotEndIsCutOffAfterTheGraceTime() throws Exception {
        Value got, never;
        try (var _ = graph.device(task(0))) {
            Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 9, "", "q"))
                    .getFirst();
            got = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
        }
        try (var _ = graph.device(task(1))) {
            never = got.plus(1);
        }
        try (Server other = new Server(cluster, new TaskName("worker", 0), ServerOptions.defaults());
                Task ending = new Task("500ms");
                Session s = open(ending.target())) {
            CompletableFuture<Float> stuck = inBackground(s, never);
            awaitAsked(other, 1);
            ending.end();
            assertEquals("steps were cut off after 500 ms", ending.out.readLine());
            assertThrows(Exception.class, () -> stuck.get(240, TimeUnit.SECONDS));
            assertEquals(SIGTERM_STATUS, ending.status());
            assertTrue(other.localWorker().steps().await(n -> n == 0, LIMIT), "other tasks forget it");
        }
    }
}
