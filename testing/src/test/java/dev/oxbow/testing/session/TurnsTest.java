package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Turns;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps with an op of a service that wants turns begin when the service says so. */
@Timeout(300)
final class TurnsTest {

    /** A service that lets one step at a time begin, and writes down what happens. */
    private static final class Desk implements Turns {
        final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();
        private final Queue<Consumer<Throwable>> waiting = new ArrayDeque<>();
        private boolean taken;
        private volatile int version;

        @Override
        public Turn turn(List<Node> nodes) {
            log.add("turn of " + nodes.stream().map(Node::name).sorted().toList());
            int made = version;
            return new Turn() {
                @Override
                public void take(long step, String key, Cancellation cancellation, Consumer<Throwable> then) {
                    Desk.this.take(key, cancellation, then);
                }

                @Override
                public void leave(long step, Throwable error) {
                    Desk.this.leave(error);
                }

                @Override
                public boolean isCurrent() {
                    return version == made;
                }
            };
        }

        private void take(String key, Cancellation cancellation, Consumer<Throwable> then) {
            boolean waits;
            synchronized (this) {
                waits = taken;
                taken = true;
                if (waits) waiting.add(then);
            }
            if (!waits) {
                then.accept(null);
                return;
            }
            if (cancellation.register(why -> withdraw(then, why)) < 0) withdraw(then, cancellation.reason());
            log.add("waits " + key);
        }

        private void withdraw(Consumer<Throwable> then, OxbowException why) {
            synchronized (this) {
                if (!waiting.remove(then)) return;
            }
            then.accept(why);
        }

        private void leave(Throwable error) {
            log.add(error == null ? "left" : "left with " + error.getMessage());
            Consumer<Throwable> next;
            synchronized (this) {
                next = waiting.poll();
                taken = next != null;
            }
            if (next != null) next.accept(null);
        }

        void await(String line) throws InterruptedException {
            for (String l = ""; !l.equals(line); ) {
                l = log.poll(30, TimeUnit.SECONDS);
                assertTrue(l != null, () -> "nobody says '" + line + "'");
            }
        }
    }

    /** Opens and waits. */
    private record Gate(CountDownLatch reached, CountDownLatch opened) {
        Gate() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }
    }

    /** Serves at a desk: waits at the gate in its first step. */
    @Signature("Served(x: T) -> (y: T) {T: type} stateful")
    record Served() implements Op {
        @Override
        public Class<?> service() {
            return Desk.class;
        }

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                Gate gate = c.service(Gate.class);
                gate.reached.countDown();
                try {
                    gate.opened.await();
                } catch (InterruptedException e) {
                    throw new OxbowException(ErrorCode.CANCELLED, "interrupted", e);
                }
                c.forward(0, 0);
            };
        }
    }

    private final Desk desk = new Desk();
    private final Gate gate = new Gate();
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value served = Value.apply(new Served(), ops.constant(3f));

    private Session open() {
        return Session.open(
                graph,
                EngineOptions.defaults().withThreads(1),
                SessionOptions.defaults().withService(Desk.class, desk).withService(Gate.class, gate));
    }

    private static float value(Session s, Value v, RunOptions options) {
        try (Results r = s.fetch(v.edge()).options(options).run()) {
            return r.get(0).floats()[0];
        }
    }

    @Test
    void aStepBeginsWhenTheOneBeforeItHasLeft() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Session s = open()) {
            Future<Float> first = threads.submit(() -> value(s, served, RunOptions.none()));
            gate.reached.await();
            Future<Float> second =
                    threads.submit(() -> value(s, served, RunOptions.none().withKey("b")));
            desk.await("waits b");
            assertEquals(5f, value(s, ops.constant(5f), RunOptions.none())); // who wants no turn goes past
            gate.opened.countDown();
            assertEquals(3f, first.get());
            assertEquals(3f, second.get());
            desk.await("left");
            desk.await("left");
        }
    }

    @Test
    void aDeadlineATokenAnInterruptAndTheEndOfTheSessionEndTheWait() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Session s = open();
            Future<Float> first = threads.submit(() -> value(s, served, RunOptions.none()));
            gate.reached.await();
            OxbowException late = assertThrows(
                    OxbowException.class, () -> value(s, served, RunOptions.timeout(Duration.ofMillis(20))));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());

            List<Future<OxbowException>> ended = new ArrayList<>();
            Cancellation token = new Cancellation();
            ended.add(threads.submit(() -> assertThrows(
                    OxbowException.class, () -> value(s, served, new RunOptions(null, token).withKey("token")))));
            desk.await("waits token");
            token.cancel(ErrorCode.CANCELLED, "on purpose");
            Thread[] runner = new Thread[1];
            ended.add(threads.submit(() -> {
                runner[0] = Thread.currentThread();
                return assertThrows(
                        OxbowException.class,
                        () -> value(s, served, RunOptions.none().withKey("thread")));
            }));
            desk.await("waits thread");
            runner[0].interrupt();
            ended.add(threads.submit(() -> assertThrows(
                    OxbowException.class,
                    () -> value(s, served, RunOptions.none().withKey("session")))));
            desk.await("waits session");
            Future<?> closing = threads.submit(s::close);
            for (Future<OxbowException> e : ended)
                assertSame(ErrorCode.CANCELLED, e.get().code());
            gate.opened.countDown();
            closing.get();
            assertEquals(3f, first.get()); // it had only a value to give
            desk.await("left");
        }
    }

    @Test
    void opsInFunctionsThatAreCalledAtRunTimeCount() throws Exception {
        gate.opened.countDown();
        TensorType i32 = new TensorType(DType.I32, Shape.SCALAR), f32 = new TensorType(DType.F32, Shape.SCALAR);
        ops.function(
                "body",
                List.of(i32, f32),
                v -> List.of(Value.apply(new Served(), v.get(1)).plus(1)));
        Value count = ops.constant(DType.I32, 2), one = ops.constant(DType.I32, 1);
        Op loop = Ops.named("For", Map.of("body", new FunctionRef("body")));
        Value y = Value.apply(loop, ops.constant(DType.I32, 0), count, one, ops.constant(3f));
        try (Session s = open()) {
            assertEquals(5f, value(s, y, RunOptions.none()));
            assertEquals("turn of [Served]", desk.log.poll());
            desk.await("left"); // once: the calls are of the step
            assertEquals(null, desk.log.poll());
        }
    }

    @Test
    void aProgramThatIsNoLongerRightIsMadeAgain() throws Exception {
        gate.opened.countDown();
        try (Session s = open()) {
            value(s, served, RunOptions.none());
            value(s, served, RunOptions.none());
            desk.await("turn of [Served]");
            desk.await("left");
            desk.await("left");
            desk.version++;
            value(s, served, RunOptions.none());
            assertEquals("turn of [Served]", desk.log.poll());
        }
    }
}
