package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session is given and gives, in the hands of users who close it early, late or never. */
final class HeldResultsTest {
    private static final int N = 1 << 18;

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(-1));

    @Test
    void resultsCloseTogether() {
        Value y = x.times(2), z = x.plus(1);
        try (Session session = Session.open(graph);
                Tensor t = Tensor.of(Shape.of(2), 1f, 2f)) {
            Results results =
                    session.feed(x.edge(), t).fetch(y.edge(), z.edge()).run();
            Tensor first = results.get(0);
            try (results) {
                assertArrayEquals(new float[] {2, 4}, first.floats());
                assertArrayEquals(new float[] {2, 3}, results.get(1).floats());
            }
            assertTrue(first.isClosed() && results.get(1).isClosed());
        }
    }

    @Test
    void aClosedTensorIsRefusedByTheNameOfItsFeed() {
        Value y = x.times(2);
        try (Session session = Session.open(graph)) {
            Tensor t = Tensor.of(Shape.of(2), 1f, 2f);
            t.close();
            var e = assertThrows(
                    OxbowException.class,
                    () -> session.feed(x.edge(), t).fetch(y.edge()).run());
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            assertEquals("feed x:0: the tensor was closed", e.getMessage());
        }
    }

    @Test
    void whatAGraphOrAVariableHoldsStaysWhenItsTensorIsClosed() {
        Tensor start = Tensor.of(Shape.of(2), 1f, 2f);
        Parameter w = Parameter.of("w", ops.constant(start));
        start.close();
        Node assign = graph.add(new AssignVariableOp(false), List.of(w.handle().edge(), x.edge()));
        try (Session session = Session.open(graph)) {
            session.target(w.initialiser()).run();
            assertArrayEquals(
                    new float[] {1, 2},
                    session.fetch(w.value().edge()).run().get(0).floats());
            Tensor next = Tensor.of(Shape.of(2), 3f, 4f);
            session.feed(x.edge(), next).target(assign).run();
            next.close();
            try (Tensor other = Tensor.of(Shape.of(2), 9f, 9f)) {
                assertArrayEquals(
                        new float[] {3, 4},
                        session.fetch(w.value().edge()).run().get(0).floats());
                assertEquals(9, other.getDouble(0));
            }
        }
    }

    @Test
    void forgottenResultsAndGraphsNeverHoldAGigabyte() {
        Value y = x.times(2);
        try (Engine engine = new Engine(EngineOptions.defaults());
                Session session = Session.open(graph, engine);
                Tensor t = Tensor.zeros(DType.F32, Shape.of(1 << 20))) {
            long most = 0;
            for (int i = 0; i < 600; i++) {
                session.feed(x.edge(), t).fetch(y.edge()).run();
                Ops other = Ops.in(new Graph());
                other.constant(Tensor.zeros(DType.F32, Shape.of(1 << 20))).times(2);
                long held = MemoryPool.shared().bytesInUse()
                        + engine.devices().getFirst().memory().bytesInUse();
                most = Math.max(most, held);
            }
            assertTrue(most < 1 << 30, "held " + most);
        }
    }

    @Test
    void aResultIsNotTakenAwayWhileItIsRead() throws Exception {
        fetchWhileCollecting(2);
    }

    @Test
    @Tag("long")
    void aResultIsNotTakenAwayWhileItIsReadForLong() throws Exception {
        fetchWhileCollecting(20);
    }

    /** The idiom of the README, with a thread that collects and one that takes what comes back. */
    private void fetchWhileCollecting(int seconds) throws Exception {
        Value y = x.plus(1), z = x.times(-1);
        AtomicBoolean stop = new AtomicBoolean();
        try (Session session = Session.open(graph);
                Tensor t = Tensor.zeros(DType.F32, Shape.of(N))) {
            List<Thread> others = List.of(
                    Thread.ofPlatform().start(() -> {
                        while (!stop.get()) System.gc();
                    }),
                    Thread.ofPlatform().start(() -> {
                        while (!stop.get())
                            session.feed(x.edge(), t).fetch(z.edge()).run().close();
                    }));
            long end = System.nanoTime() + seconds * 1_000_000_000L;
            try {
                while (System.nanoTime() < end) for (float v : fetched(session, t, y)) assertEquals(1, v);
            } finally {
                stop.set(true);
                for (Thread o : others) o.join();
            }
        }
    }

    private float[] fetched(Session session, Tensor t, Value y) {
        return session.feed(x.edge(), t).fetch(y.edge()).run().get(0).floats();
    }
}
