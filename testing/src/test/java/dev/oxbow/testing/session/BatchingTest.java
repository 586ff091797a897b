package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.batching.Batch;
import dev.oxbow.ops.batching.BatchFunction;
import dev.oxbow.ops.batching.Unbatch;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.DelayedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of several steps are computed in one batch, and each gets what is its own; whoever can not be met is told. */
@Timeout(300)
final class BatchingTest {
    private static final int CALLS = 4, ROWS = 2;
    private static final long LONG = TimeUnit.MINUTES.toMicros(10);

    private final Graph g = new Graph();
    private final Ops ops = Ops.in(g);

    private static Batch batch(long rows, long waiting) {
        return new Batch(1, rows, waiting, LONG, List.of(), LONG, "", "line", "");
    }

    private static Value first(Batch op, Value x) {
        return Value.applyAll(op, x).getFirst();
    }

    private Value rows(float first, int rows, int columns) {
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = first + i;
        return ops.constant(Tensor.of(Shape.of(rows, columns), values));
    }

    /** What so many steps at once give for their own numbers. */
    private List<List<float[]>> together(Value x, Value weight, List<Value> fetches) {
        try (Session s = Session.open(g, SessionOptions.defaults().withTimeout(Duration.ofSeconds(30)))) {
            List<CompletableFuture<List<float[]>>> all = IntStream.range(0, CALLS)
                    .mapToObj(k -> CompletableFuture.supplyAsync(
                            () -> {
                                try (Tensor own = Tensor.of(Shape.of(ROWS, 1), k + 1f, k + 1.5f);
                                        Tensor w = Tensor.of(Shape.SCALAR, (float) Math.pow(10, k));
                                        Results r = s.feed(x.edge(), own)
                                                .feed(weight.edge(), w)
                                                .fetch(fetches.stream()
                                                        .map(Value::edge)
                                                        .toArray(Edge[]::new))
                                                .run()) {
                                    return r.stream().map(Tensor::floats).toList();
                                }
                            },
                            task -> Thread.ofPlatform().daemon().start(task)))
                    .toList();
            return all.stream().map(CompletableFuture::join).toList();
        }
    }

    @Test
    void rowsOfManyStepsAreOneBatchAndGradientsComeBackToIt() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 1)),
                weight = ops.placeholder("weight", DType.F32, Shape.SCALAR),
                factor = ops.constant(3f);
        List<Value> b = Value.applyAll(batch(CALLS * ROWS, 10), x);
        Value y = Value.apply(
                new Unbatch(LONG, "", "meeting"), b.get(0).times(factor).times(factor), b.get(1), b.get(2));
        Value loss = y.times(weight).sum();
        Value d = Gradients.of(loss, factor).getFirst();

        List<List<float[]>> all = together(x, weight, List.of(y, d));

        double gradient = 0, wanted = 0;
        int holders = 0;
        for (int k = 0; k < CALLS; k++) {
            assertArrayEquals(
                    new float[] {9 * (k + 1f), 9 * (k + 1.5f)}, all.get(k).get(0));
            gradient += all.get(k).get(1)[0];
            wanted += 6 * Math.pow(10, k) * (2 * k + 2.5);
            if (all.get(k).get(1)[0] != 0) holders++;
        }
        assertEquals(wanted, gradient, 1e-5 * wanted);
        assertEquals(1, holders, "one step has the batch");
    }

    /** A batch that one step makes full ends the others, maybe before these have said all that there is to say of theirs. */
    @Test
    void stepsEndInThoseThatMakeTheirBatchFull() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 1));
        List<Value> b = Value.applyAll(batch(2 * ROWS, 10), x);
        Value y = Value.apply(new Unbatch(LONG, "", "meeting"), b.get(0).plus(1), b.get(1), b.get(2));
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Executor later = task -> Thread.startVirtualThread(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                failures.add(e);
            }
        });
        EngineOptions options = EngineOptions.defaults().withThreads(2);
        try (Engine engine = new Engine(
                        options,
                        (o, width) ->
                                List.of(new DelayedDevice(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width), later)));
                Session s = Session.open(g, engine, SessionOptions.defaults().withTimeout(Duration.ofSeconds(120)))) {
            List<CompletableFuture<Void>> all = IntStream.range(0, 2)
                    .mapToObj(k -> CompletableFuture.runAsync(
                            () -> {
                                for (int i = 0; i < 2_000; i++)
                                    try (Tensor own = Tensor.of(Shape.of(ROWS, 1), k + (float) i, (float) -i);
                                            Results r = s.feed(x.edge(), own)
                                                    .fetch(y.edge())
                                                    .run()) {
                                        assertArrayEquals(
                                                new float[] {k + i + 1, 1 - i},
                                                r.get(0).floats());
                                    }
                            },
                            task -> Thread.ofPlatform().daemon().start(task)))
                    .toList();
            all.forEach(CompletableFuture::join);
        }
        assertEquals(List.of(), List.copyOf(failures));
    }

    @Test
    void aFunctionIsCalledOnceForTheRowsOfManySteps() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 1)),
                weight = ops.placeholder("weight", DType.F32, Shape.SCALAR);
        FunctionRef f = new FunctionRef(ops.function(
                        "f",
                        List.of(new TensorType(DType.F32, Shape.of(-1, 1))),
                        v -> List.of(
                                v.get(0).plus(1),
                                v.get(0).times(0).plus(v.get(0).sum())))
                .name());
        BatchFunction op = new BatchFunction(
                f,
                1,
                CALLS * ROWS,
                LONG,
                10,
                List.of(),
                "",
                "",
                "",
                0,
                0,
                List.of(),
                0,
                "low_priority_padding_with_max_batch_size",
                "PAD_UP",
                List.of(DType.F32),
                List.of(DType.F32, DType.F32),
                false);
        List<Value> y = Value.applyAll(op, x);
        List<List<float[]>> all = together(x, weight, List.of(y.get(0), y.get(1)));
        float sum = 0;
        for (int k = 0; k < CALLS; k++) sum += 2 * k + 2.5f;
        for (int k = 0; k < CALLS; k++) {
            assertArrayEquals(new float[] {k + 2f, k + 2.5f}, all.get(k).get(0));
            assertArrayEquals(new float[] {sum, sum}, all.get(k).get(1), "all rows were in one call");
        }
    }

    private OxbowException failure(Value... fetches) {
        List<Edge> edges = new ArrayList<>();
        for (Value v : fetches) edges.add(v.edge());
        try (Session s = Session.open(g, SessionOptions.defaults().withTimeout(Duration.ofSeconds(30)))) {
            return assertThrows(
                    OxbowException.class,
                    () -> s.fetch(edges.toArray(Edge[]::new)).run().close());
        }
    }

    @Test
    void rowsOfAnotherShapeAreRefused() {
        OxbowException e = failure(first(batch(8, 10), rows(1, 1, 2)), first(batch(8, 10), rows(1, 1, 300)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertTrue(e.text().contains("can not be in one batch"), e.text());
    }

    @Test
    void whatIsClosedForACallThatFindsNoRoomIsStillComputed() {
        OxbowException e = failure(first(batch(8, 0), rows(1, 3, 1)), first(batch(8, 0), rows(1, 6, 1)));
        assertEquals(ErrorCode.UNAVAILABLE, e.code());
    }

    @Test
    void rowsAreWaitedForOnce() {
        Value index = ops.constant(Tensor.zeros(DType.I64, Shape.of(0, 3))), id = ops.constant(Tensor.scalar(7L));
        Unbatch op = new Unbatch(LONG, "", "meeting");
        OxbowException e =
                failure(Value.apply(op, rows(1, 0, 1), index, id), Value.apply(op, rows(1, 0, 2), index, id));
        assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    }

    @Test
    void aStepThatIsGivenUpLeavesTheBatch() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 1));
        Value b = first(batch(4, 10), x);
        try (Session s = Session.open(g);
                Tensor some = Tensor.of(Shape.of(3, 1), 1f, 2f, 3f);
                Tensor full = Tensor.of(Shape.of(4, 1), 4f, 5f, 6f, 7f)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), some)
                            .fetch(b.edge())
                            .options(RunOptions.timeout(Duration.ofMillis(50)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            try (Results r = s.feed(x.edge(), full).fetch(b.edge()).run()) {
                assertArrayEquals(new float[] {4, 5, 6, 7}, r.get(0).floats());
            }
        }
    }
}
