package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} and {@code trace} of a cluster of two tasks. */
@Timeout(300)
final class ClusterCommandsTest {
    private static final String ZERO = "/job:worker/replica:0/task:0", ONE = "/job:worker/replica:0/task:1";
    private static final String CPU = "/device:CPU:0";

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
    private final LocalCluster cluster = LocalCluster.start(
            spec,
            ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1)),
            LocalCluster.Links.MESSAGES);
    private final StringWriter out = new StringWriter(), err = new StringWriter();

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = Files.writeString(folder.resolve("cluster.json"), spec.json());
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    /** One more than a value of the other task that never comes, or than what is fed there. */
    private Value oneMore(Value fed) {
        Value there;
        try (var _ = graph.device("/job:worker/task:1")) {
            if (fed == null) {
                Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                        .getFirst();
                there = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue)
                        .getFirst();
            } else there = fed.times(fed);
        }
        try (var _ = graph.device("/job:worker/task:0")) {
            return there.plus(1);
        }
    }

    @Test
    void theStatusShowsTasksAndWhoWaitsForWhom() throws Exception {
        Value y = oneMore(null);
        Cancellation enough = new Cancellation();
        try (Session s = Session.open(cluster.target(), graph, SessionOptions.defaults())) {
            Thread step = Thread.ofPlatform().daemon().start(() -> {
                try {
                    s.fetch(y.edge())
                            .options(new RunOptions(null, enough))
                            .run()
                            .close();
                } catch (OxbowException _) {
                    // given up below
                }
            });
            awaitAsked(cluster.servers().get(1));
            assertEquals(0, run("status", "--cluster", file.toString(), "--timeout", "60s"), err.toString());
            String text = out.toString();
            for (String task : List.of(ZERO, ONE)) {
                assertTrue(text.contains(task + "  process "), text);
                assertTrue(text.contains("  " + task + CPU + "  "), text);
            }
            assertTrue(text.contains("1 steps run"), text);
            assertTrue(text.contains(ZERO + CPU + " waits for " + ONE + CPU + ": "), text);
            assertEquals(0, run("status", "--cluster", file.toString(), "--timeout", "60s", "--json"), err.toString());
            JsonArray tasks =
                    JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("tasks");
            assertEquals(2, tasks.size());
            JsonObject first = tasks.get(0).getAsJsonObject();
            assertEquals(ZERO, first.get("task").getAsString());
            assertEquals(1, first.get("sessions").getAsInt());
            JsonElement wait = first.getAsJsonArray("waits").get(0);
            assertEquals(ONE + CPU, wait.getAsJsonObject().get("whom").getAsString());
            enough.cancel(ErrorCode.CANCELLED, "seen");
            step.join();
        }
    }

    /** Until the task was asked for a value, by whatever way values go. */
    private static void awaitAsked(Server task) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (task.traffic().counts().get("Want").requests() == 0 && System.nanoTime() - end < 0) Thread.onSpinWait();
        assertEquals(1, task.traffic().counts().get("Want").requests());
    }

    @Test
    void aTaskThatDoesNotAnswerIsNamedByTheStatus() {
        cluster.servers().get(1).close();
        assertEquals(5, run("status", "--cluster", file.toString(), "--timeout", "10s"));
        String text = out.toString();
        assertTrue(text.contains(ONE + System.lineSeparator() + "  does not answer: "), text);
        assertTrue(text.contains(ZERO + "  process "), text);
        assertEquals(2, run("status"), "neither --cluster nor --address");
    }

    @Test
    void aTaskThatIsSilentIsNamedWithTheTimeItHad() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            assertEquals(5, run("status", "--address", address, "--timeout", "300ms"));
            assertTrue(out.toString().contains(address + " gave no answer within 300 ms"), out.toString());
        }
    }

    @Test
    void aServerWhoseOptionsCanNotBeObeyedDoesNotServe() {
        String under = file.resolve("folder").toString();
        for (List<String> wrong : List.of(
                List.of("--trace-every", "-5", "one of -5 steps can not be traced"),
                List.of("--trace-files", "0", "a folder of traces holds at least one, got 0"),
                List.of("--lease", "0s", "the lease of a session must be positive, got PT0S"),
                List.of("--lost-after", "0s", "lostAfter must be positive, got PT0S"),
                List.of("--cost-folder", under, "the folder of costs can not be made: "),
                List.of("--trace-every", "1", "--trace-folder", under, "the folder of traces can not be made: "))) {
            List<String> command = new ArrayList<>(List.of("server", "--address", "127.0.0.1:2222"));
            command.addAll(wrong.subList(0, wrong.size() - 1));
            assertNotEquals(0, run(command.toArray(String[]::new)), wrong.toString());
            assertTrue(err.toString().contains(wrong.getLast()), err.toString());
        }
    }

    @Test
    void aTraceSaysWhoWaitedForWhom() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(1000)), y = oneMore(x);
        StepTrace trace = new StepTrace();
        Path step = folder.resolve("step.json");
        try (Session s = Session.open(cluster.target(), graph, SessionOptions.defaults());
                Tensor fed = Tensor.zeros(DType.F32, Shape.of(1000))) {
            s.feed(x.edge(), fed)
                    .fetch(y.edge())
                    .options(RunOptions.none().withTracer(trace))
                    .run()
                    .close();
        }
        trace.write(step);
        assertEquals(0, run("trace", step.toString(), "--waits"), err.toString());
        assertTrue(out.toString().contains(ZERO + CPU + " waited for " + ONE + CPU), out.toString());
        assertTrue(out.toString().contains("1 values, 4,000 bytes"), out.toString());
        assertEquals(0, run("trace", step.toString()), err.toString());
        assertTrue(out.toString().contains("Mul"), out.toString());
        assertEquals(2, run("trace", folder.resolve("none.json").toString()));
        assertTrue(err.toString().contains("can not read "), err.toString());
    }
}
