package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that compute for ever are ended, by whoever wants them to end. */
@Timeout(300)
final class DeadlineTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    /** A session on an endless graph; on close, nothing of it may be in use. */
    private static final class Running implements AutoCloseable {
        final Engine engine;
        final Session session;
        final Session.Run run;

        Running(Endless endless, EngineOptions devices) {
            this(endless, devices, SessionOptions.defaults());
        }

        Running(Endless endless, EngineOptions devices, SessionOptions options) {
            Graph g = new Graph();
            Value y = endless.in(g);
            engine = new Engine(devices);
            session = Session.open(g, engine, options);
            run = session.feed(g.edge("x:0"), Tensor.scalar(0f)).fetch(y.edge());
            if (g.has("y")) run.feed(g.edge("y:0"), Tensor.scalar(true));
        }

        OxbowException fails(RunOptions options) {
            return assertThrows(OxbowException.class, () -> run.options(options).run());
        }

        @Override
        public void close() {
            session.close();
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
            engine.close();
        }
    }

    private static EngineOptions threads(int n) {
        return EngineOptions.defaults().withThreads(n);
    }

    @ParameterizedTest
    @EnumSource
    void theDeadlineOfARunEndsIt(Endless endless) {
        for (int threads : new int[] {1, 2}) {
            try (Running r = new Running(endless, threads(threads))) {
                OxbowException e = r.fails(RunOptions.timeout(SHORT));
                assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e::getMessage);
                assertTrue(e.getMessage().contains("the run did not end within 100 ms"), e::getMessage);
                assertTrue(e.getMessage().contains("(node "), e::getMessage);
            }
        }
    }

    @Test
    void theErrorSaysWhereTheStepWas() {
        try (Running r = new Running(Endless.INLINED, threads(1))) {
            String m = r.fails(RunOptions.timeout(SHORT)).getMessage();
            assertTrue(
                    m.matches(
                            "\\w+: Session: the run did not end within 100 ms, in iteration \\d+ of loop '.+' \\(node .+\\)"),
                    m);
        }
        try (Running r = new Running(Endless.FOR, threads(1))) {
            String m = r.fails(RunOptions.timeout(SHORT)).getMessage();
            assertTrue(m.matches(".*within 100 ms, in function body, 1 calls deep \\(node .+\\)"), m);
        }
    }

    @Test
    void theDeadlineOfTheSessionEndsARunThatHasNone() {
        try (Running r = new Running(
                Endless.INLINED, threads(2), SessionOptions.defaults().withTimeout(SHORT))) {
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, r.fails(RunOptions.none()).code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptEndsTheRunOfTheThread(Endless endless) throws Exception {
        try (Running r = new Running(endless, threads(2));
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Thread> who = new CompletableFuture<>();
            Future<OxbowException> failed = thread.submit(() -> {
                who.complete(Thread.currentThread());
                OxbowException e = r.fails(RunOptions.none());
                assertTrue(Thread.interrupted(), "the flag stays");
                return e;
            });
            who.get().interrupt();
            OxbowException e = failed.get();
            assertEquals(ErrorCode.CANCELLED, e.code(), e::getMessage);
            assertTrue(e.getMessage().contains("the calling thread was interrupted"), e::getMessage);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTokenAndTheCloseOfTheSessionEndRuns(Endless endless) throws Exception {
        try (Running r = new Running(endless, threads(2));
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Cancellation token = new Cancellation();
            Future<OxbowException> cancelled = thread.submit(() -> r.fails(new RunOptions(null, token)));
            token.cancel(ErrorCode.ABORTED, "no more");
            assertEquals(ErrorCode.ABORTED, cancelled.get().code());
            CompletableFuture<Thread> who = new CompletableFuture<>();
            Future<OxbowException> closed = thread.submit(() -> {
                who.complete(Thread.currentThread());
                return r.fails(RunOptions.none());
            });
            while (!closed.isDone() && !isInside(who.get(), "dev.oxbow.runtime.run.RegionRun")) Thread.onSpinWait();
            r.session.close();
            assertTrue(closed.isDone() || isBeyond(who.get()), "close waits for the step");
            assertEquals(ErrorCode.CANCELLED, closed.get().code());
        }
    }

    private static boolean isInside(Thread t, String className) {
        for (StackTraceElement e : t.getStackTrace()) if (e.getClassName().startsWith(className)) return true;
        return false;
    }

    private static boolean isBeyond(Thread t) {
        return !isInside(t, "dev.oxbow.runtime.run.RegionRun");
    }

    @Test
    void aTokenOutlivesTheRunsThatFail() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value x = ops.placeholder("x", DType.I32, Shape.SCALAR);
        Value bad = ops.constant(Tensor.of(Shape.of(1), 1f)).gather(x, 0);
        Cancellation token = new Cancellation();
        try (Session s = Session.open(g)) {
            Session.Run run =
                    s.feed(x.edge(), Tensor.scalar(5)).fetch(bad.edge()).options(new RunOptions(null, token));
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    assertThrows(OxbowException.class, run::run).code());
            assertTrue(!token.isCancelled());
            token.cancel(ErrorCode.CANCELLED, "enough");
            assertEquals("enough", assertThrows(OxbowException.class, run::run).getMessage());
        }
    }

    @Test
    void aPartialRunEndsWhileItComputes() {
        Graph g = new Graph();
        Value y = Endless.INLINED.in(g);
        try (Session s = Session.open(g, threads(1));
                PartialRun p = s.partialRun(List.of("x:0"), List.of(y.edge().name()), List.of())) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> p.run(
                            Map.of("x:0", Tensor.scalar(0f)), List.of(y.edge().name()), SHORT));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e::getMessage);
        }
    }

    @Test
    void aPartialRunThatComputesFromTheStartIsStillOneThatCanBeEnded() {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Value y = ops.whileLoop(
                        v -> v.get(0).greaterEqual(ops.constant(0f)),
                        v -> List.of(v.get(0).plus(1)),
                        List.of(ops.placeholder("x", DType.F32, Shape.SCALAR)
                                .times(0)
                                .plus(ops.constant(0f))))
                .get(0);
        try (Session s = Session.open(g, threads(1), SessionOptions.defaults().withTimeout(SHORT));
                PartialRun p = s.partialRun(List.of("x:0"), List.of(y.edge().name()), List.of())) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> p.run(
                            Map.of("x:0", Tensor.scalar(0f)), List.of(y.edge().name()), null));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e::getMessage);
        }
    }

    /** Wide bounds hold on a busy machine too; the median is of a quiet one. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void deadlinesAndInterruptsAreKept(int threads) throws Exception {
        for (Endless endless : Endless.values()) {
            try (Running r = new Running(endless, threads(threads))) {
                List<Long> deadlines = new ArrayList<>(), interrupts = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    long start = System.nanoTime();
                    assertEquals(
                            ErrorCode.DEADLINE_EXCEEDED,
                            r.fails(RunOptions.timeout(SHORT)).code());
                    deadlines.add((System.nanoTime() - start) / 1_000_000);
                    Thread me = Thread.currentThread();
                    Thread.ofPlatform().start(() -> {
                        while (!isInside(me, "dev.oxbow.runtime.run.RegionRun")) Thread.onSpinWait();
                        me.interrupt();
                    });
                    start = System.nanoTime();
                    assertEquals(ErrorCode.CANCELLED, r.fails(RunOptions.none()).code());
                    assertTrue(Thread.interrupted());
                    interrupts.add((System.nanoTime() - start) / 1_000_000);
                }
                check(endless, deadlines);
                check(endless, interrupts);
            }
        }
    }

    private static void check(Endless endless, List<Long> millis) {
        List<Long> sorted = millis.stream().sorted().toList();
        assertTrue(sorted.get(10) <= 300 && sorted.getLast() < 2_000, () -> endless + ": " + sorted);
    }
}
