package dev.oxbow.data.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GraphFunctionTest {
    private static final TensorType PAIR = new TensorType(DType.F32, Shape.of(2)),
            PAIRS = new TensorType(DType.F32, Shape.of(-1, 2)),
            SEED = new TensorType(DType.I64, Shape.of(2));

    private final Tensor rows = Tensor.of(Shape.of(10, 2), numbers());

    private static float[] numbers() {
        float[] all = new float[20];
        for (int i = 0; i < all.length; i++) all[i] = i;
        return all;
    }

    private static List<float[]> all(Pipeline<Batch> batches) {
        List<float[]> all = new ArrayList<>();
        try (Feed<Batch> feed = batches.open()) {
            while (feed.hasNext())
                try (Batch b = feed.next()) {
                    all.add(b.tensors().getFirst().floats());
                }
        }
        return all;
    }

    @Test
    void elementsAndBatchesGoThroughTheGraph() {
        try (GraphFunction each =
                        GraphFunction.of(List.of(PAIR), s -> List.of(s.get(0).times(2f)));
                GraphFunction more =
                        GraphFunction.of(List.of(PAIRS), s -> List.of(s.get(0).plus(1f), s.get(0)))) {
            Pipeline<Batch> batches =
                    Pipeline.rows(rows).map("twice", 0, each).batch(4).map("more", 0, more.onBatches());
            List<float[]> all = all(batches);
            assertEquals(3, all.size());
            assertArrayEquals(new float[] {1, 3, 5, 7, 9, 11, 13, 15}, all.get(0));
            assertArrayEquals(new float[] {33, 35, 37, 39}, all.get(2));
            List<float[]> second = all(batches.share(1, 2)); // rows 2 and 3 of the first batch
            assertArrayEquals(new float[] {9, 11, 13, 15}, second.get(0));
        }
    }

    @Test
    void aFunctionOfALibraryIsCalled() {
        Graph graph = new Graph();
        Function f = Ops.in(graph)
                .function("squared", List.of(PAIR), s -> List.of(s.get(0).square()));
        try (GraphFunction squared = GraphFunction.of(f)) {
            assertArrayEquals(
                    new float[] {0, 1, 4, 9},
                    all(Pipeline.rows(rows).map("squared", 0, squared).batch(2)).getFirst());
        }
    }

    @Test
    void randomNumbersBelongToTheElementWhateverTheThreads() {
        try (GraphFunction made = GraphFunction.of(
                List.of(PAIR, SEED), s -> List.of(s.get(0), s.get(1).cast(DType.F64)))) {
            GraphFunction noise = made.drawing();
            Pipeline<Batch> batches = Pipeline.rows(rows)
                    .map("noise", 5, noise)
                    .map(s -> Sample.of(s.get(1)))
                    .batch(3);
            List<double[]> one = seeds(batches.threads(1)), eight = seeds(batches.threads(8));
            assertEquals(4, one.size());
            for (int i = 0; i < one.size(); i++) assertArrayEquals(one.get(i), eight.get(i));
            assertEquals(
                    20, one.stream().flatMapToDouble(Arrays::stream).distinct().count());
        }
    }

    private static List<double[]> seeds(Pipeline<Batch> batches) {
        List<double[]> all = new ArrayList<>();
        try (Feed<Batch> feed = batches.open()) {
            while (feed.hasNext())
                try (Batch b = feed.next()) {
                    all.add(b.tensors().getFirst().doubles());
                }
        }
        return all;
    }

    @Test
    void whatDependsOnThreadsAndWhatDoesNotFitIsRefused() {
        OxbowException random = assertThrows(
                OxbowException.class,
                () -> GraphFunction.of(List.of(PAIR), s -> List.of(s.get(0).dropout(0.5))));
        assertEquals(ErrorCode.INVALID_ARGUMENT, random.code());
        assertTrue(
                random.text().contains("draws random numbers, so that elements would depend on threads"),
                random.text());
        try (GraphFunction f =
                GraphFunction.of(List.of(PAIR), s -> List.of(s.get(0).times(2f)))) {
            assertEquals(
                    "graph function: the last argument must be i64[2] to be given random numbers, it is f32[2]",
                    assertThrows(OxbowException.class, f::drawing).text());
            Pipeline<Batch> wrong = Pipeline.rows(rows, rows).map("f", 0, f).batch(2);
            assertEquals(
                    "f of element 0 of epoch 0: graph function: has 1 arguments, an element has 2 tensors",
                    assertThrows(OxbowException.class, () -> all(wrong)).text());
        }
    }
}
