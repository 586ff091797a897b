package dev.oxbow.testing.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.dataset.BatchDatasetV2;
import dev.oxbow.ops.dataset.ConcatenateDataset;
import dev.oxbow.ops.dataset.DatasetToSingleElement;
import dev.oxbow.ops.dataset.IteratorGetNext;
import dev.oxbow.ops.dataset.IteratorV2;
import dev.oxbow.ops.dataset.MakeIterator;
import dev.oxbow.ops.dataset.MapDataset;
import dev.oxbow.ops.dataset.PaddedBatchDatasetV2;
import dev.oxbow.ops.dataset.RangeDataset;
import dev.oxbow.ops.dataset.SleepDataset;
import dev.oxbow.ops.dataset.TFRecordDatasetV2;
import dev.oxbow.ops.dataset.TensorSliceDataset;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.RecordFrame;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data sets whose elements are not what they were said to be: types of elements are known only when they come. */
final class DatasetOpsTest {
    private static final List<DType> LONGS = List.of(DType.I64);
    private static final List<Shape> ANY = List.of(Shape.UNKNOWN);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private Value add(Op op, Value... inputs) {
        return ops.add(op, inputs).getFirst();
    }

    private Value longs(long n) {
        Value start = ops.constant(Tensor.scalar(0L)), step = ops.constant(Tensor.scalar(1L));
        return add(new RangeDataset(LONGS, ANY, "", false), start, ops.constant(Tensor.scalar(n)), step);
    }

    private Value doubles() {
        return add(new TensorSliceDataset(ANY, false, "", false), ops.constant(Tensor.of(Shape.of(2), 1.0, 2.0)));
    }

    /** Begins the data set and gives its elements until an error comes. */
    private List<Object> elements(Value dataset, int errors) {
        Edge iterator = graph.add(new IteratorV2("", "", LONGS, ANY), List.of()).edge(0);
        Node begin = graph.add(new MakeIterator(), List.of(dataset.edge(), iterator));
        Edge next =
                graph.add(new IteratorGetNext(LONGS, ANY), List.of(iterator)).edge(0);
        List<Object> all = new ArrayList<>();
        try (Session s = Session.open(graph)) {
            s.target(begin).run().close();
            while (all.stream().filter(ErrorCode.class::isInstance).count() < errors)
                try (Results r = s.fetch(next)
                        .options(RunOptions.timeout(Duration.ofSeconds(20)))
                        .run()) {
                    all.add(r.get(0).getLong(0));
                } catch (OxbowException e) {
                    all.add(e.code());
                }
        }
        return all;
    }

    @Test
    void aDeadlineInTheMiddleOfABatchLeavesNoElementBehind() {
        Value batch = add(
                new BatchDatasetV2(false, LONGS, ANY, ""),
                longs(Long.MAX_VALUE),
                ops.constant(Tensor.scalar(1L << 40)),
                ops.constant(Tensor.scalar(false)));
        Edge one = graph.add(new DatasetToSingleElement(LONGS, ANY, ""), List.of(batch.edge()))
                .edge(0);
        long before = MemoryPool.shared().bytesInUse();
        try (Session s = Session.open(graph)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(one)
                            .options(RunOptions.timeout(Duration.ofMillis(50)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
        }
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    @Test
    void aSleepEndsWithItsStep() {
        Value late = add(new SleepDataset(LONGS, ANY), longs(1), ops.constant(Tensor.scalar(1L << 50)));
        Edge one = graph.add(new DatasetToSingleElement(LONGS, ANY, ""), List.of(late.edge()))
                .edge(0);
        try (Session s = Session.open(graph)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(one)
                            .options(RunOptions.timeout(Duration.ofMillis(50)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
        }
    }

    @Test
    void elementsOfTwoTypesAreNoBatch() {
        Value mixed = add(new ConcatenateDataset(LONGS, ANY, ""), longs(1), doubles());
        Value batch = add(
                new BatchDatasetV2(false, LONGS, ANY, ""),
                mixed,
                ops.constant(Tensor.scalar(3L)),
                ops.constant(Tensor.scalar(false)));
        // and the iterator goes on behind the error: to its end
        assertEquals(List.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.OUT_OF_RANGE), elements(batch, 2));
    }

    @Test
    void whatPadsMustBeOneValueOfTheType() {
        for (Tensor padding : List.of(Tensor.of(Shape.of(0), new long[0]), Tensor.scalar(1.5)))
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT, elements(padded(padding), 1).getFirst());
        assertEquals(0L, elements(padded(Tensor.scalar(7L)), 1).getFirst());
    }

    private Value padded(Tensor padding) {
        return add(
                new PaddedBatchDatasetV2(false, ANY, 1, ""),
                longs(2),
                ops.constant(Tensor.scalar(2L)),
                ops.constant(Tensor.of(Shape.of(0), new long[0])),
                ops.constant(padding),
                ops.constant(Tensor.scalar(false)));
    }

    @Test
    void aRangeOverAllNumbersHasItsFirstAndLastElement() {
        Value far = add(
                new RangeDataset(LONGS, ANY, "", false),
                ops.constant(Tensor.scalar(Long.MIN_VALUE)),
                ops.constant(Tensor.scalar(Long.MAX_VALUE)),
                ops.constant(Tensor.scalar(Long.MAX_VALUE)));
        assertEquals(List.of(Long.MIN_VALUE, -1L, Long.MAX_VALUE - 1, ErrorCode.OUT_OF_RANGE), elements(far, 1));
        Value down = add(
                new RangeDataset(LONGS, ANY, "", false),
                ops.constant(Tensor.scalar(Long.MAX_VALUE)),
                ops.constant(Tensor.scalar(Long.MIN_VALUE)),
                ops.constant(Tensor.scalar(Long.MIN_VALUE)));
        assertEquals(List.of(Long.MAX_VALUE, -1L, ErrorCode.OUT_OF_RANGE), elements(down, 1));
    }

    @Test
    void whoWaitsBehindAnotherStepIsToldAtItsDeadline() throws InterruptedException {
        Value queue = add(new FIFOQueueV2(LONGS, ANY, -1, "", ""));
        FunctionRef take = new FunctionRef(ops.function(
                        "take",
                        List.of(new TensorType(DType.I64, Shape.SCALAR), new TensorType(DType.RESOURCE, Shape.SCALAR)),
                        v -> List.of(Ops.in(v.get(0).graph())
                                .add(new QueueDequeueV2(LONGS, -1), v.get(1))
                                .getFirst()))
                .name());
        Value waiting = add(new MapDataset(take, LONGS, ANY, true, false, false, ""), longs(5), queue);
        Edge iterator = graph.add(new IteratorV2("", "", LONGS, ANY), List.of()).edge(0);
        Node begin = graph.add(new MakeIterator(), List.of(waiting.edge(), iterator));
        Edge next =
                graph.add(new IteratorGetNext(LONGS, ANY), List.of(iterator)).edge(0);
        Node put = graph.add(
                new QueueEnqueueV2(-1),
                List.of(queue.edge(), ops.constant(Tensor.scalar(9L)).edge()));
        try (Session s = Session.open(graph)) {
            s.target(begin).run().close();
            List<Object> first = new ArrayList<>();
            Thread holder = Thread.ofVirtual().start(() -> {
                try (Results r = s.fetch(next)
                        .options(RunOptions.timeout(Duration.ofSeconds(60)))
                        .run()) {
                    first.add(r.get(0).getLong(0));
                } catch (OxbowException e) {
                    first.add(e.code());
                }
            });
            // whichever of the two is first, the other one stands in line and neither has an element
            OxbowException late = assertThrows(
                    OxbowException.class,
                    () -> s.fetch(next)
                            .options(RunOptions.timeout(Duration.ofMillis(200)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            s.target(put).run().close();
            holder.join();
            assertEquals(List.of(9L), first);
        }
    }

    @Test
    void recordsAreReadFromAnOffsetOn(@TempDir Path folder) {
        Path file = folder.resolve("a");
        RecordFrame.write(file, List.of("first".getBytes(UTF_8), "second".getBytes(UTF_8)));
        Value set = add(
                new TFRecordDatasetV2(""),
                ops.constant(Tensor.scalar(file.toString())),
                ops.constant(Tensor.scalar("")),
                ops.constant(Tensor.scalar(0L)),
                ops.constant(Tensor.of(Shape.of(1), (long) RecordFrame.HEADER + 5 + RecordFrame.FOOTER)));
        List<DType> texts = List.of(DType.STRING);
        Edge iterator = graph.add(new IteratorV2("", "", texts, ANY), List.of()).edge(0);
        Node begin = graph.add(new MakeIterator(), List.of(set.edge(), iterator));
        Edge next =
                graph.add(new IteratorGetNext(texts, ANY), List.of(iterator)).edge(0);
        try (Session s = Session.open(graph)) {
            s.target(begin).run().close();
            try (Results r = s.fetch(next).run()) {
                assertEquals("second", new String((byte[]) r.get(0).objects()[0], UTF_8));
            }
        }
    }
}
