package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.dataset.BatchDatasetV2;
import dev.oxbow.ops.dataset.ConcatenateDataset;
import dev.oxbow.ops.dataset.IteratorGetNext;
import dev.oxbow.ops.dataset.IteratorV2;
import dev.oxbow.ops.dataset.MakeIterator;
import dev.oxbow.ops.dataset.PaddedBatchDatasetV2;
import dev.oxbow.ops.dataset.RangeDataset;
import dev.oxbow.ops.dataset.TensorSliceDataset;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
