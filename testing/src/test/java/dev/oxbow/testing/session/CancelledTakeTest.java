package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.NoOp;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cancelled step that has only its results left to give gives them; one that has more to do ends there. */
@Timeout(300)
final class CancelledTakeTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);
    private final Cancellation token = new Cancellation();
    private final AtomicInteger taken = new AtomicInteger();

    /** What happens between the moment in which {@link Take} has its value and that in which its step goes on. */
    private interface Meanwhile {
        void happens(Completion c);
    }

    /** A wait that ends, as a dequeue does, by another thread. */
    @Signature("Take(x: T) -> (y: T) {T: type} stateful")
    record Take() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public boolean waits() {
            return true;
        }

        @Override
        public boolean suppliesOutputs() {
            return true;
        }

        @Override
        public Kernel cpu() {
            return c -> {
                Completion done = c.defer();
                c.forward(0, 0);
                c.service(Meanwhile.class).happens(done);
            };
        }
    }

    private Session.Run run(Session s, Value y) {
        return s.feed(x.edge(), Tensor.scalar(3f)).fetch(y.edge()).options(new RunOptions(null, token));
    }

    private static EngineOptions devices(int n) {
        return EngineOptions.defaults().withThreads(2).withCpuDevices(n);
    }

    private SessionOptions options() {
        return SessionOptions.defaults()
                .withPlacement((node, n) -> node.startsWith("Take") ? n - 1 : 0)
                .withService(
                        Meanwhile.class,
                        c -> Thread.ofPlatform().start(() -> {
                            taken.incrementAndGet();
                            token.cancel(ErrorCode.CANCELLED, "too late");
                            c.done();
                        }));
    }

    private Value take(Value v) {
        return Value.apply(new Take(), v);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatWasTakenIsTheAnswerThoughTheRunWasCancelledMeanwhile(int devices) {
        Value y = Value.apply(Ops.named("Identity", Map.of()), take(x));
        try (Session s = Session.open(graph, devices(devices), options());
                Tensor t = run(s, y).run().get(0)) {
            assertTrue(token.isCancelled());
            assertEquals(3, t.getDouble(0));
        }
    }

    @Test
    void whatWasDoneIsReportedAsDone() {
        Node take = take(x).edge().node();
        Node group = graph.add(new NodeSpec("group", new NoOp(), List.of()).withControls(List.of(take)));
        try (Session s = Session.open(graph, devices(1), options())) {
            s.feed(x.edge(), Tensor.scalar(3f))
                    .target(group)
                    .options(new RunOptions(null, token))
                    .run();
            assertEquals(1, taken.get());
        }
    }

    @Test
    void aStepThatHasMoreToComputeEnds() {
        Value y = take(x).plus(1);
        try (Engine engine = new Engine(devices(1))) {
            try (Session s = Session.open(graph, engine, options())) {
                OxbowException e = assertThrows(OxbowException.class, run(s, y)::run);
                assertEquals(ErrorCode.CANCELLED, e.code());
                assertTrue(e.getMessage().startsWith("AddV2: too late (node AddV2"), e::getMessage);
            }
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        }
    }

    @Test
    void aRunWhoseTokenIsCancelledDoesNotStart() {
        token.cancel(ErrorCode.CANCELLED, "before");
        try (Session s = Session.open(graph, devices(1), options())) {
            assertEquals(
                    "before",
                    assertThrows(OxbowException.class, run(s, take(x))::run).getMessage());
            assertEquals(0, taken.get());
        }
    }

    @Test
    void aDeadlineThatPassesInTheLastKernelComesTooLate() {
        Value y = take(x);
        SessionOptions slow = SessionOptions.defaults().withService(Meanwhile.class, c -> {
            long start = System.nanoTime();
            while (System.nanoTime() - start < Duration.ofMillis(500).toNanos()) Thread.onSpinWait();
            c.done();
        });
        try (Session s = Session.open(graph, slow);
                Tensor t = s.feed(x.edge(), Tensor.scalar(3f))
                        .fetch(y.edge())
                        .options(RunOptions.timeout(Duration.ofMillis(400)))
                        .run()
                        .get(0)) {
            assertEquals(3, t.getDouble(0));
        }
    }

    @Test
    void aPartialRunGivesWhatItTook() {
        Value y = take(x);
        String name = y.edge().name();
        SessionOptions late = SessionOptions.defaults()
                .withService(
                        Meanwhile.class,
                        c -> Thread.ofPlatform().start(() -> {
                            long start = System.nanoTime();
                            while (System.nanoTime() - start
                                    < Duration.ofMillis(100).toNanos()) Thread.onSpinWait();
                            c.done();
                        }));
        try (Session s = Session.open(graph, late);
                PartialRun p = s.partialRun(List.of("x:0"), List.of(name), List.of());
                Tensor t = p.run(Map.of("x:0", Tensor.scalar(3f)), List.of(name), Duration.ofMillis(10))
                        .get(0)) {
            assertEquals(3, t.getDouble(0));
        }
    }

    @Test
    void aPartialRunThatWaitsForAFeedEnds() {
        Value z = ops.placeholder("z", DType.F32, Shape.SCALAR);
        Value y = x.plus(1), w = z.plus(1);
        List<String> names = List.of(y.edge().name(), w.edge().name());
        Session s = Session.open(graph);
        try (PartialRun p = s.partialRun(List.of("x:0", "z:0"), names, List.of())) {
            p.run(Map.of("x:0", Tensor.scalar(3f)), names.subList(0, 1), null).forEach(Tensor::close);
            s.close();
            OxbowException e = assertThrows(
                    OxbowException.class, () -> p.run(Map.of("z:0", Tensor.scalar(3f)), names.subList(1, 2), null));
            assertEquals(ErrorCode.CANCELLED, e.code(), e::getMessage);
        }
    }
}
