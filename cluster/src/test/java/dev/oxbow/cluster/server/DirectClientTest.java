package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.waits.TestWait;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Tracer;
import dev.oxbow.net.Token;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.trace.StepTrace;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client whose master is in its own process: by methods it has what it has by messages. */
@Timeout(300)
final class DirectClientTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final Token TOKEN = Token.of("a secret of these tests");

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withLease(Duration.ofMillis(100));

    private final ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 1));
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
    private final Value never;

    DirectClientTest() {
        Value queue = ops.add(new FIFOQueueV2(List.of(DType.F32), List.of(Shape.SCALAR), 1, "", "q"))
                .getFirst();
        never = ops.add(new QueueDequeueV2(List.of(DType.F32), -1), queue).getFirst();
    }

    private Server start(boolean direct) {
        return new Server(spec, new TaskName("worker", 0), OPTIONS.withDirect(direct));
    }

    private Session open(Server s) {
        return Session.open(s.target(), graph, SessionOptions.defaults());
    }

    private static Tensor counted(int n) {
        float[] all = new float[n];
        for (int i = 0; i < n; i++) all[i] = i % 1000;
        return Tensor.of(Shape.of(n), all);
    }

    /** A step that waits, until it is there. */
    private CompletableFuture<OxbowException> waiting(Server at, Session s, RunOptions options) {
        CompletableFuture<OxbowException> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                s.fetch(never.edge()).options(options).run().close();
                end.completeExceptionally(new AssertionError("it has ended"));
            } catch (OxbowException e) {
                end.complete(e);
            }
        });
        assertTrue(at.localWorker().steps().await(n -> n > 0, LONG), "the step has begun");
        return end;
    }

    /** The connections of this process, by what the system calls them. */
    private static Set<String> sockets() throws IOException {
        Set<String> all = new HashSet<>();
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path l : links.toList())
                try {
                    String to = Files.readSymbolicLink(l).toString();
                    if (to.startsWith("socket:")) all.add(to);
                } catch (NoSuchFileException e) {
                    // that of the list itself, or one that was closed meanwhile
                }
        }
        return all;
    }

    @Test
    void noConnectionIsMadeAndLargeValuesAreNotCopied() throws IOException {
        Value y = x.plus(1), same = x.reshape(-1);
        int n = 1 << 20;
        try (Server at = start(true);
                Tensor fed = counted(n)) {
            Set<String> before = sockets();
            try (Session s = open(at)) {
                s.feed(x.edge(), fed).fetch(same.edge()).run().close();
                long held = MemoryPool.shared().bytesInUse();
                try (Results r =
                        s.feed(x.edge(), fed).fetch(same.edge(), same.edge()).run()) {
                    assertEquals(fed.address(), r.get(0).address(), "what was fed is fetched");
                    assertEquals(fed.address(), r.get(1).address());
                    assertTrue(MemoryPool.shared().bytesInUse() - held < fed.byteSize(), "and lies there once");
                }
                try (Results r = s.feed(x.edge(), fed).fetch(y.edge()).run()) {
                    assertEquals(n % 1000, r.get(0).floats()[n - 1] % 1000);
                    assertEquals(0f, fed.floats()[0], "what was fed is not written");
                }
                Set<String> more = sockets();
                more.removeAll(before);
                assertEquals(Set.of(), more, "connections that were not there");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsHandedOverLivesAsLongAsSomebodyHoldsIt(boolean direct) {
        Parameter v = Parameter.of("v", ops.constant(Tensor.of(Shape.of(3), 0f, 0f, 0f)));
        Node set = graph.add(
                new AssignVariableOp(false),
                List.of(v.handle().edge(), x.reshape(3).edge()));
        Results kept;
        try (Server at = start(direct)) {
            try (Session s = open(at)) {
                for (int i = 1; i <= 3; i++)
                    try (Tensor fed = Tensor.of(Shape.of(3), 1f * i, 2f * i, 3f * i)) {
                        s.feed(x.edge(), fed).target(set).run().close();
                    }
                kept = s.fetch(v.value().edge()).run();
                try (Tensor fed = Tensor.of(Shape.of(3), 7f, 7f, 7f)) {
                    s.feed(x.edge(), fed).target(set).run().close();
                }
            }
        }
        assertArrayEquals(new float[] {3, 6, 9}, kept.get(0).floats(), "after its server has ended");
        kept.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allThatASessionCanDo(boolean direct) {
        Value y = x.times(2);
        Value text = ops.placeholder("text", DType.STRING, Shape.of(2)), turned = text.reshape(2, 1);
        try (Server at = start(direct);
                Session s = open(at)) {
            for (int n : new int[] {0, 1, 5_000, 1 << 18})
                try (Tensor fed = counted(n);
                        Results r = s.feed(x.edge(), fed).fetch(y.edge()).run()) {
                    float[] got = r.get(0).floats();
                    for (int i = 0; i < n; i++) assertEquals(2f * (i % 1000), got[i]);
                }
            try (Results r = s.feed(text.edge(), Tensor.of(Shape.of(2), "a", "b"))
                    .fetch(turned.edge())
                    .run()) {
                assertEquals(List.of("a", "b"), r.get(0).strings());
            }
            Value more = y.plus(1); // the graph has grown
            StepTrace trace = new StepTrace();
            try (Results r = s.feed(x.edge(), counted(2))
                    .fetch(more.edge())
                    .options(RunOptions.none().withTracer(trace))
                    .run()) {
                assertEquals(3f, r.get(0).floats()[1]);
            }
            assertTrue(trace.stats().getDevStatsCount() > 0, "it was traced");
            assertTrue(s.explain(List.of(x.edge()), List.of(more.edge()), List.of(), false)
                    .contains("worker"));
            try (PartialRun p = s.partialRun(
                    List.of("x:0"), List.of(y.edge().name(), more.edge().name()), List.of())) {
                List<Tensor> first =
                        p.run(Map.of("x:0", counted(3)), List.of(y.edge().name()), null);
                assertEquals(4f, first.getFirst().floats()[2]);
                assertEquals(
                        5f,
                        p.run(Map.of(), List.of(more.edge().name()), null)
                                .getFirst()
                                .floats()[2]);
            }
        }
    }

    private static OxbowException failure(Runnable what) {
        return assertThrows(OxbowException.class, what::run);
    }

    /** What an error says, without the number of a session. */
    private static String words(OxbowException e) {
        return e.code() + " " + e.task() + " " + e.node() + " " + e.getMessage().replaceAll("[0-9a-f]{16}", "S");
    }

    @Test
    void errorsAreTheSame() {
        Value bad = ops.constant(Tensor.of(Shape.of(2), 1f, 2f)).plus(x),
                lost = Parameter.of("w", ops.constant(1f)).value();
        String[][] said = new String[2][];
        for (boolean direct : new boolean[] {true, false}) {
            Server at = start(direct);
            Session s = open(at);
            Tensor closed = counted(2);
            closed.close();
            OxbowException[] all = {
                failure(() -> s.feed(x.edge(), counted(3)).fetch(bad.edge()).run()),
                failure(() -> s.fetch(lost.edge()).run()),
                failure(() -> s.fetch(x.edge()).run()),
                failure(() -> s.feed(x.edge(), Tensor.of(Shape.of(1), 1))
                        .fetch(x.edge())
                        .run()),
                failure(() -> s.feed(x.edge(), closed).fetch(x.edge()).run()),
            };
            OxbowException late = failure(() -> s.fetch(never.edge())
                    .options(RunOptions.timeout(Duration.ofMillis(50)))
                    .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code(), late.getMessage());
            assertEquals("the step did not end within 50 ms", late.text()); // in any node, on a busy machine
            at.close();
            OxbowException gone =
                    failure(() -> s.feed(x.edge(), counted(1)).fetch(x.edge()).run());
            assertEquals(ErrorCode.UNAVAILABLE, gone.code(), gone.getMessage());
            assertTrue(
                    gone.getMessage()
                            .contains("RunStep: 127.0.0.1:"
                                    + spec.address(new TaskName("worker", 0)).port()),
                    gone.getMessage());
            try (Server _ = start(direct)) { // which is not the one that knew the session
                OxbowException other = failure(
                        () -> s.feed(x.edge(), counted(1)).fetch(x.edge()).run());
                if (other.code() != ErrorCode.UNAVAILABLE) // a connection may be made only after a pause
                assertEquals(ErrorCode.ABORTED, other.code(), other.getMessage());
            }
            s.close();
            said[direct ? 0 : 1] =
                    Arrays.stream(all).map(DirectClientTest::words).toArray(String[]::new);
        }
        assertArrayEquals(said[1], said[0]);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepIsGivenUpByCancellationAndInterrupt(boolean direct) throws Exception {
        try (Server at = start(direct);
                Session s = open(at)) {
            Cancellation stop = new Cancellation();
            var cancelled = waiting(at, s, new RunOptions(null, stop));
            stop.cancel(ErrorCode.CANCELLED, "enough of this");
            assertEquals("enough of this", cancelled.get(120, TimeUnit.SECONDS).getMessage());
            assertTrue(at.localWorker().steps().await(n -> n == 0, LONG), "the step ends there, too");
            assertEquals(
                    "enough of this",
                    failure(() -> s.fetch(never.edge())
                                    .options(new RunOptions(null, stop))
                                    .run())
                            .getMessage());
            Thread.currentThread().interrupt();
            OxbowException e = failure(() -> s.fetch(never.edge()).run());
            assertEquals(ErrorCode.CANCELLED, e.code(), e.getMessage());
            assertTrue(Thread.interrupted(), "the interrupt is still there");
            assertTrue(at.localWorker().steps().await(n -> n == 0, LONG));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepThatIsGivenUpBeforeDoesNothing(boolean direct) throws Exception {
        Parameter counter = Parameter.of("counter", ops.constant(0f));
        Node more = graph.add(
                new AssignAddVariableOp(),
                List.of(counter.handle().edge(), ops.constant(1f).edge()));
        Cancellation stop = new Cancellation();
        stop.cancel(ErrorCode.CANCELLED, "not now");
        try (Server at = start(direct);
                Session s = open(at)) {
            s.target(counter.initialiser()).run().close();
            for (int i = 0; i < 100; i++)
                assertEquals(
                        "not now",
                        failure(() -> s.target(more)
                                        .options(new RunOptions(null, stop))
                                        .run())
                                .getMessage());
            try (Results r = s.fetch(counter.value().edge()).run()) {
                assertEquals(0f, r.get(0).floats()[0]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepIsGivenUpWhenItsSessionIsClosed(boolean direct) throws Exception {
        try (Server at = start(direct)) {
            Session s = open(at);
            var closed = waiting(at, s, RunOptions.none());
            s.close();
            assertEquals(ErrorCode.CANCELLED, closed.get(120, TimeUnit.SECONDS).code());
            assertTrue(at.master().sessions().await(n -> n == 0, LONG));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStepMayBeGivenUpAtAnyMoment(boolean direct) throws Exception {
        Random random = new Random(7);
        try (Server at = start(direct);
                Session s = open(at)) {
            for (int i = 0; i < 300; i++) {
                Cancellation stop = new Cancellation();
                int spins = random.nextInt(20_000);
                Thread other = Thread.ofPlatform().daemon().start(() -> {
                    for (int k = 0; k < spins; k++) Thread.onSpinWait();
                    stop.cancel(ErrorCode.CANCELLED, "enough of this");
                });
                OxbowException e = failure(() -> s.fetch(never.edge())
                        .options(new RunOptions(null, stop))
                        .run());
                assertEquals("enough of this", e.getMessage(), "spins " + spins);
                other.join();
            }
            assertTrue(at.localWorker().steps().await(n -> n == 0, LONG), "no step is left");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSessionMayBeClosedAtAnyMomentOfAStep(boolean direct) throws Exception {
        Random random = new Random(8);
        try (Server at = start(direct)) {
            for (int i = 0; i < 300; i++) {
                Session s = open(at);
                CompletableFuture<OxbowException> end = new CompletableFuture<>();
                CountDownLatch begins = new CountDownLatch(1);
                Thread.ofPlatform().daemon().start(() -> {
                    begins.countDown();
                    end.complete(failure(() -> s.fetch(never.edge()).run()));
                });
                begins.await();
                int spins = random.nextInt(i % 2 == 0 ? 2_000 : 200_000);
                for (int k = 0; k < spins; k++) Thread.onSpinWait();
                s.close();
                OxbowException e = end.get(120, TimeUnit.SECONDS);
                boolean before = e.text().equals("Session: it is closed");
                assertEquals(before ? ErrorCode.FAILED_PRECONDITION : ErrorCode.CANCELLED, e.code(), e.getMessage());
            }
            assertTrue(at.localWorker().steps().await(n -> n == 0, LONG), "no step is left");
            assertTrue(at.master().sessions().await(n -> n == 0, LONG), "and no session");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTracerThatFailsFailsTheStep(boolean direct) {
        Tracer failing = (_, _, _, _) -> {
            throw new IllegalStateException("no ink");
        };
        try (Server at = start(direct);
                Session s = open(at);
                Tensor fed = counted(3)) {
            Value twice = x.times(2);
            OxbowException e = failure(() -> s.feed(x.edge(), fed)
                    .fetch(twice.edge())
                    .options(RunOptions.none().withTracer(failing))
                    .run());
            assertEquals(ErrorCode.INTERNAL, e.code());
            assertTrue(e.getMessage().contains("no ink"), e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatEndsEndsWhatWaits(boolean direct) throws Exception {
        Server at = start(direct);
        Session s = open(at);
        var lost = waiting(at, s, RunOptions.none());
        at.close();
        OxbowException e = lost.get(120, TimeUnit.SECONDS);
        assertTrue(List.of(ErrorCode.UNAVAILABLE, ErrorCode.CANCELLED).contains(e.code()), e.getMessage());
        s.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatDrainsFinishesWhatRunsAndRefusesMore(boolean direct) throws Exception {
        Value slow = ops.add(new TestWait(300), x).getFirst();
        Server at = start(direct);
        Session s = open(at), other = open(at);
        CompletableFuture<Float> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try (Results r = s.feed(x.edge(), counted(8)).fetch(slow.edge()).run()) {
                end.complete(r.get(0).floats()[7]);
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        });
        assertTrue(at.localWorker().steps().await(n -> n > 0, LONG));
        CompletableFuture<Boolean> drained = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> drained.complete(at.drain(LONG)));
        OxbowException refused;
        do refused = refusal(other);
        while (refused == null && !end.isDone());
        assertTrue(refused != null, "new steps are refused");
        assertEquals(ErrorCode.UNAVAILABLE, refused.code(), refused.getMessage());
        assertEquals(7f, end.get(120, TimeUnit.SECONDS));
        assertTrue(drained.get(120, TimeUnit.SECONDS), "all have ended by themselves");
        s.close();
        other.close();
    }

    private OxbowException refusal(Session s) {
        try {
            s.feed(x.edge(), counted(1)).fetch(x.edge()).run().close();
            return null;
        } catch (OxbowException e) {
            return e;
        }
    }

    @Test
    void whoHasNotTheTokenIsRefusedAsByTheWire() {
        try (Server at = new Server(spec, new TaskName("worker", 0), OPTIONS.withToken(TOKEN))) {
            SessionOptions mine = SessionOptions.defaults();
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    failure(() -> Session.open(at.target(), graph, mine)).code());
            try (Session s = Session.open(at.target(), graph, mine.withService(Token.class, TOKEN));
                    Results r = s.feed(x.edge(), counted(2)).fetch(x.edge()).run()) {
                assertEquals(1f, r.get(0).floats()[1]);
            }
        }
    }
}
