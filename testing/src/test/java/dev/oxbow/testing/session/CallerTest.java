package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Progress;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that called a run works on it while asynchronous ops are under way. */
@Timeout(300)
final class CallerTest {

    /** What becomes of the completions of {@link Later}, and which threads were seen. */
    private record Scene(Consumer<Completion> completions, List<Thread> seen) {}

    /** A copy that completes later. */
    @Signature("Later(x: T) -> (y: T) {T: type} stateful")
    record Later() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public boolean waits() {
            return true;
        }

        @Override
        public Kernel cpu() {
            return c -> {
                c.output(0).set(0, c.input(0).getDouble(0));
                c.service(Scene.class).completions.accept(c.defer());
            };
        }
    }

    /** A copy that says on which thread it ran. */
    @Signature("Here(x: T) -> (y: T) {T: type} stateful")
    record Here() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                c.output(0).set(0, c.input(0).getDouble(0));
                c.service(Scene.class).seen.add(Thread.currentThread());
            };
        }
    }

    /** A service whose completions come only from threads that are lent to it. */
    private static final class Lent implements Progress {
        final ConcurrentLinkedQueue<Completion> due = new ConcurrentLinkedQueue<>();
        final List<Thread> workers = new ArrayList<>();

        @Override
        public void work(BooleanSupplier until, long nanos) {
            workers.add(Thread.currentThread());
            long start = System.nanoTime();
            while (!until.getAsBoolean() && System.nanoTime() - start < nanos) {
                Completion next = due.poll();
                if (next != null) next.done();
            }
        }

        @Override
        public void wakeUp() {}
    }

    private static double run(SessionOptions options) {
        Graph g = new Graph();
        Value x = Ops.in(g).constant(3f);
        Value y =
                Value.apply(new Here(), Value.apply(new Later(), Value.apply(new Here(), Value.apply(new Later(), x))));
        try (Session s = Session.open(g, options);
                Tensor t = s.fetch(y.edge()).run().get(0)) {
            return t.getDouble(0);
        }
    }

    @Test
    void aServiceGetsTheThreadAndTheRegionsGoOnThere() {
        Lent lent = new Lent();
        Scene scene = new Scene(lent.due::add, new ArrayList<>());
        Thread me = Thread.currentThread();
        assertEquals(
                3, run(SessionOptions.defaults().withService(Scene.class, scene).withService(Lent.class, lent)));
        assertEquals(List.of(me, me), scene.seen);
        assertTrue(lent.workers.stream().allMatch(t -> t == me));
    }

    @Test
    void aServiceThatFailsLeavesTheRunToEndByItself() {
        List<Thread> lent = new ArrayList<>();
        Progress failing = new Progress() {
            @Override
            public void work(BooleanSupplier until, long nanos) {
                lent.add(Thread.currentThread());
                throw new IllegalStateException("broken");
            }

            @Override
            public void wakeUp() {}
        };
        Scene scene =
                new Scene(c -> Thread.ofPlatform().start(c::done), Collections.synchronizedList(new ArrayList<>()));
        assertEquals(
                3, run(SessionOptions.defaults().withService(Scene.class, scene).withService(Progress.class, failing)));
        assertTrue(lent.size() <= 1, lent::toString);
    }

    @Test
    void aRegionGoesOnHereWhenAnotherThreadCompletesWhatItWaitsFor() {
        Thread me = Thread.currentThread();
        Scene scene = new Scene(
                c -> Thread.ofPlatform().start(() -> {
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                    while (me.getState() == Thread.State.RUNNABLE && System.nanoTime() < end) Thread.onSpinWait();
                    c.done();
                }),
                new ArrayList<>());
        assertEquals(3, run(SessionOptions.defaults().withService(Scene.class, scene)));
        assertEquals(List.of(me, me), scene.seen);
    }
}
