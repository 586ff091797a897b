package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many threads put and take while deadlines pass and tokens are cancelled: what a run says it has put comes out once, what
 * it says it has not never does. Of steps with one effect, that is: what others did before they failed stays done.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class StormTest {
    private static final int THREADS = 12;

    /** A place to put numbers, and ops that put and take them. */
    enum Place {
        FIFO {
            @Override
            void in(Scene s) {
                queue(s, s.add("FIFOQueueV2", Map.of("component_types", I64, "capacity", 10L)));
            }
        },
        SHUFFLED {
            @Override
            void in(Scene s) {
                queue(s, s.add("RandomShuffleQueueV2", Map.of("component_types", I64, "capacity", 10L)));
            }
        },
        BATCHES {
            @Override
            void in(Scene s) {
                Value q = s.add(
                        "FIFOQueueV2",
                        Map.of("component_types", I64, "capacity", 10L, "shapes", List.of(Shape.SCALAR)));
                queue(s, q);
                s.drain = s.take;
                s.take = s.add("QueueDequeueManyV2", Map.of("component_types", I64), q, s.ops.constant(DType.I32, 3));
            }
        },
        STAGE {
            @Override
            void in(Scene s) {
                Map<String, Object> a = Map.of("dtypes", I64, "capacity", 10L, "shared_name", "stage");
                s.put = s.node("Stage", Map.of("capacity", 10L, "shared_name", "stage"), s.id);
                s.take = s.add("Unstage", a);
                s.size = s.add("StageSize", a);
            }
        },
        MAP {
            @Override
            void in(Scene s) {
                Map<String, Object> a = Map.of("dtypes", I64, "capacity", 10L, "shared_name", "map");
                Value first = s.ops.constant(Tensor.of(Shape.of(1), 0));
                s.put = s.node("MapStage", a, s.id, first, s.id);
                s.take = Value.of(s.node("MapUnstageNoKey", a, first).edge(1));
                s.size = s.add("MapSize", a);
            }
        },
        BARRIER {
            @Override
            void in(Scene s) {
                Value b = s.add("Barrier", Map.of("component_types", I64, "shapes", List.of(Shape.SCALAR)));
                Value one = s.id.reshape(1);
                s.put = s.node(
                        "BarrierInsertMany", Map.of("component_index", 0L), b, s.add("AsString", Map.of(), one), one);
                s.take = Value.of(
                        s.node("BarrierTakeMany", Map.of("component_types", I64), b, s.ops.constant(DType.I32, 1))
                                .edge(2));
                s.size = s.add("BarrierReadySize", Map.of(), b);
            }
        },
        /** Of sums only the sum comes out once. */
        ACCUMULATOR {
            @Override
            void in(Scene s) {
                Value a = s.add(
                        "ResourceConditionalAccumulator",
                        Map.of("dtype", DType.I64, "shape", Shape.SCALAR, "reduction_type", "SUM"));
                Value latest = s.ops.constant(Tensor.scalar(Long.MAX_VALUE));
                s.put = s.node("ResourceAccumulatorApplyGradient", Map.of(), a, latest, s.id);
                s.take = s.add(
                        "ResourceAccumulatorTakeGradient", Map.of("dtype", DType.I64), a, s.ops.constant(DType.I32, 1));
                s.size = s.add("ResourceAccumulatorNumAccumulated", Map.of(), a);
            }
        };

        private static final List<DType> I64 = List.of(DType.I64);

        abstract void in(Scene s);

        private static void queue(Scene s, Value q) {
            s.put = s.node("QueueEnqueueV2", Map.of(), q, s.id);
            s.take = s.add("QueueDequeueV2", Map.of("component_types", I64), q);
            s.size = s.add("QueueSizeV2", Map.of(), q);
        }
    }

    /** The graph of a place. */
    private static final class Scene {
        final Graph graph = new Graph();
        final Ops ops = Ops.in(graph);
        final Value id = ops.placeholder("id", DType.I64, Shape.SCALAR);
        Node put;
        Value take;
        Value drain;
        Value size;

        Scene(Place place) {
            place.in(this);
            if (drain == null) drain = take;
        }

        Node node(String op, Map<String, Object> attributes, Value... inputs) {
            Op o = Ops.named(op, attributes);
            List<Edge> edges = new ArrayList<>();
            for (Value v : inputs) edges.add(v.edge());
            return graph.add(o, edges);
        }

        Value add(String op, Map<String, Object> attributes, Value... inputs) {
            return Value.of(node(op, attributes, inputs).edge(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrReportedWrongly(Place place) throws Exception {
        storm(place, Duration.ofMillis(700));
    }

    /** Ten minutes, or as many as the property {@code test.minutes} says, for all places together. */
    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrReportedWronglyInALongTime(Place place) throws Exception {
        storm(place, Duration.ofMinutes(Integer.getInteger("test.minutes", 10)).dividedBy(Place.values().length));
    }

    private static void storm(Place place, Duration length) throws Exception {
        Scene scene = new Scene(place);
        Engine engine = new Engine(EngineOptions.defaults().withThreads(2));
        try (Session s = Session.open(scene.graph, engine)) {
            long end = System.nanoTime() + length.toNanos();
            Cancellation over = new Cancellation();
            AtomicLong ids = new AtomicLong();
            List<Worker> workers = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS);
                    ScheduledExecutorService later = Executors.newScheduledThreadPool(1)) {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Worker w = new Worker(s, scene, ids, over, later, new SplittableRandom(i));
                    workers.add(w);
                    boolean puts = i % 2 == 0;
                    running.add(threads.submit(() -> w.work(end, puts)));
                }
                later.schedule(
                        () -> over.cancel(ErrorCode.CANCELLED, "it is over"), length.toNanos(), TimeUnit.NANOSECONDS);
                for (Future<?> f : running) f.get();
            }
            if (place == Place.ACCUMULATOR) checkSum(workers, drained(s, scene));
            else check(workers, drained(s, scene));
        }
        engine.reset();
        assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        engine.close();
    }

    @Test
    void closingTheSessionEndsEveryRunWithOneAnswer() throws Exception {
        for (int round = 0; round < 20; round++) {
            Scene scene = new Scene(Place.FIFO);
            Engine engine = new Engine(EngineOptions.defaults().withThreads(2));
            Session s = Session.open(scene.graph, engine);
            AtomicLong answers = new AtomicLong();
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                List<Future<ErrorCode>> ends = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    boolean puts = i % 2 == 0;
                    ends.add(threads.submit(() -> runUntilClosed(s, scene, puts, answers)));
                }
                while (answers.get() < 10L * round) Thread.onSpinWait();
                s.close();
                for (Future<ErrorCode> end : ends)
                    assertTrue(Set.of(ErrorCode.CANCELLED, ErrorCode.FAILED_PRECONDITION)
                            .contains(end.get()));
            }
            engine.reset();
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
            engine.close();
        }
    }

    private static ErrorCode runUntilClosed(Session s, Scene scene, boolean puts, AtomicLong answers) {
        while (true) {
            try (Tensor id = Tensor.scalar(1L)) {
                Session.Run run = puts ? s.feed(scene.id.edge(), id).target(scene.put) : s.fetch(scene.take.edge());
                run.run().close();
                answers.incrementAndGet();
            } catch (OxbowException e) {
                return e.code();
            }
        }
    }

    private static List<Long> drained(Session s, Scene scene) {
        List<Long> left = new ArrayList<>();
        while (taken(s.fetch(scene.size.edge()).run()).get(0) > 0)
            left.addAll(taken(s.fetch(scene.drain.edge()).run()));
        return left;
    }

    private static List<Long> taken(List<Tensor> results) {
        List<Long> all = new ArrayList<>();
        try (Tensor t = results.get(0)) {
            for (long i = 0; i < t.size(); i++) all.add(t.getLong(i));
        }
        return all;
    }

    private static void check(List<Worker> workers, List<Long> left) {
        Map<Long, Integer> out = new HashMap<>();
        Set<Long> put = new HashSet<>(), refused = new HashSet<>();
        for (Worker w : workers) {
            w.taken.forEach(id -> out.merge(id, 1, Integer::sum));
            put.addAll(w.put);
            refused.addAll(w.refused);
        }
        left.forEach(id -> out.merge(id, 1, Integer::sum));
        assertTrue(!put.isEmpty() && !refused.isEmpty(), () -> put.size() + " put, " + refused.size() + " refused");
        String counts = put.size() + " put, " + refused.size() + " refused";
        assertEquals(
                List.of(), out.keySet().stream().filter(id -> out.get(id) > 1).toList(), "came twice; " + counts);
        assertEquals(List.of(), put.stream().filter(id -> !out.containsKey(id)).toList(), "lost; " + counts);
        assertEquals(List.of(), refused.stream().filter(out::containsKey).toList(), "refused, yet there; " + counts);
    }

    private static void checkSum(List<Worker> workers, List<Long> left) {
        long put = 0, out = sum(left);
        for (Worker w : workers) {
            put += sum(w.put);
            out += sum(w.taken);
        }
        assertEquals(put, out);
    }

    private static long sum(List<Long> ids) {
        return ids.stream().mapToLong(Long::longValue).sum();
    }

    /** One thread: puts or takes; one run in six has a deadline, one in six a token that is cancelled soon. */
    private static final class Worker {
        private final Session session;
        private final Scene scene;
        private final AtomicLong ids;
        private final Cancellation over;
        private final ScheduledExecutorService later;
        private final SplittableRandom random;
        final List<Long> put = new ArrayList<>();
        final List<Long> refused = new ArrayList<>();
        final List<Long> taken = new ArrayList<>();

        Worker(
                Session session,
                Scene scene,
                AtomicLong ids,
                Cancellation over,
                ScheduledExecutorService later,
                SplittableRandom random) {
            this.session = session;
            this.scene = scene;
            this.ids = ids;
            this.over = over;
            this.later = later;
            this.random = random;
        }

        void work(long end, boolean puts) {
            while (System.nanoTime() < end) {
                if (puts) put();
                else take();
            }
        }

        private RunOptions options() {
            int kind = random.nextInt(6);
            if (kind == 0) return RunOptions.timeout(Duration.ofNanos(random.nextInt(5_000_000)));
            if (kind > 1) return new RunOptions(null, over);
            Cancellation token = new Cancellation();
            later.schedule(
                    () -> token.cancel(ErrorCode.CANCELLED, "enough"), random.nextInt(3_000_000), TimeUnit.NANOSECONDS);
            return new RunOptions(null, token);
        }

        private void put() {
            long id = ids.getAndIncrement();
            try (Tensor t = Tensor.scalar(id)) {
                session.feed(scene.id.edge(), t)
                        .target(scene.put)
                        .options(options())
                        .run();
                put.add(id);
            } catch (OxbowException e) {
                refused.add(id);
                requireEnded(e);
            }
        }

        private void take() {
            try {
                taken.addAll(StormTest.taken(
                        session.fetch(scene.take.edge()).options(options()).run()));
            } catch (OxbowException e) {
                requireEnded(e);
            }
        }

        private static void requireEnded(OxbowException e) {
            if (e.code() != ErrorCode.CANCELLED && e.code() != ErrorCode.DEADLINE_EXCEEDED) throw e;
        }
    }
}
