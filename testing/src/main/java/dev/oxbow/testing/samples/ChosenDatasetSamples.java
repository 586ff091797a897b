package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.ANY;
import static dev.oxbow.testing.samples.DatasetParts.LONG;
import static dev.oxbow.testing.samples.DatasetParts.flag;
import static dev.oxbow.testing.samples.DatasetParts.mapped;
import static dev.oxbow.testing.samples.DatasetParts.number;
import static dev.oxbow.testing.samples.DatasetParts.predicate;
import static dev.oxbow.testing.samples.DatasetParts.range;
import static dev.oxbow.testing.samples.DatasetParts.slices;
import static dev.oxbow.testing.samples.DatasetParts.unary;
import static dev.oxbow.testing.samples.DatasetParts.withFunction;
import static dev.oxbow.testing.samples.SampleFamily.named;

import dev.oxbow.graph.Edge;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** Samples of data sets that choose elements, and of how many there are. */
final class ChosenDatasetSamples {
    private final DatasetSamples family;

    ChosenDatasetSamples(DatasetSamples family) {
        this.family = family;
    }

    void define() {
        same();
        choices();
        whole();
        family.unanswered("FilterByLastComponentDataset", "TensorFlow 2.21 has no kernel");
        family.unanswered("ParallelFilterDataset", "TensorFlow 2.21 gives the graph of this op one input too few");
    }

    private void same() {
        for (String op : List.of("NonSerializableDataset", "FinalizeDataset"))
            family.walk(op, 4, LONG, p -> unary(p, op, range(p, 0, 3, 1)));
        family.walk(
                "RewriteDataset",
                4,
                LONG,
                p -> unary(p, "RewriteDataset", range(p, 0, 3, 1), p.constant(Tensor.scalar("replicate_on_split"))));
        family.program("DummyIterationCounter", p -> p.target(p.add(named("DummyIterationCounter"))));
        family.walk("SleepDataset", 4, LONG, p -> unary(p, "SleepDataset", range(p, 0, 3, 1), number(p, 10)));
        for (String op : List.of("MaxIntraOpParallelismDataset", "PrivateThreadPoolDataset"))
            for (long n : new long[] {1, -1})
                family.walk(op, 4, LONG, p -> unary(p, op, range(p, 0, 3, 1), number(p, n)));
        for (String op : List.of("WrapDatasetVariant", "UnwrapDatasetVariant"))
            family.walk(op, 4, LONG, p -> {
                Edge wrapped =
                        p.add(named("WrapDatasetVariant"), range(p, 0, 3, 1)).edge(0);
                return p.add(named("UnwrapDatasetVariant"), wrapped).edge(0);
            });
        family.walk(
                "ChooseFastestDataset",
                4,
                LONG,
                p -> p.add(
                                named(
                                        "ChooseFastestDataset",
                                        "N",
                                        2L,
                                        "num_experiments",
                                        2L,
                                        "output_types",
                                        LONG,
                                        "output_shapes",
                                        ANY),
                                range(p, 0, 3, 1),
                                range(p, 0, 3, 1))
                        .edge(0));
        family.walk(
                "ListDataset",
                3,
                List.of(DType.I64, DType.STRING),
                p -> p.add(
                                named(
                                        "ListDataset",
                                        "output_types",
                                        List.of(DType.I64, DType.STRING),
                                        "output_shapes",
                                        List.of(Shape.UNKNOWN, Shape.UNKNOWN)),
                                number(p, 1),
                                p.constant(Tensor.scalar("a")),
                                p.constant(Tensor.of(Shape.of(2), 2L, 3L)),
                                p.constant(Tensor.scalar("b")))
                        .edge(0));
    }

    private void choices() {
        // 12 divided by what begins at 0 fails once
        family.walk(
                "IgnoreErrorsDataset",
                4,
                LONG,
                p -> unary(
                        p,
                        "IgnoreErrorsDataset",
                        mapped(
                                p,
                                "MapDataset",
                                range(p, 0, 4, 1),
                                x -> Value.apply(
                                        named("FloorDiv"), Ops.in(x.graph()).constant(Tensor.scalar(12L)), x))));
        family.walk(
                "SparseTensorSliceDataset",
                4,
                List.of(DType.I64, DType.F32, DType.I64),
                p -> p.add(
                                named("SparseTensorSliceDataset"),
                                p.constant(Tensor.of(Shape.of(3, 2), 0L, 1L, 2L, 0L, 2L, 3L)),
                                p.constant(Tensor.of(Shape.of(3), 1f, 2f, 3f)),
                                p.constant(Tensor.of(Shape.of(2), 3L, 4L)))
                        .edge(0));
        for (boolean stop : new boolean[] {false, true})
            for (long[] names : new long[][] {{0, 1, 1, 0, 0, 1, 1, 0, 0}, {1, 1, 1, 1}, {0, 2}})
                family.walk(
                        "DirectedInterleaveDataset",
                        8,
                        LONG,
                        p -> p.add(
                                        named(
                                                "DirectedInterleaveDataset",
                                                "N",
                                                2L,
                                                "stop_on_empty_dataset",
                                                stop,
                                                "output_types",
                                                LONG,
                                                "output_shapes",
                                                ANY),
                                        slices(p, Tensor.of(Shape.of(names.length), names)),
                                        range(p, 0, 3, 1),
                                        range(p, 10, 12, 1))
                                .edge(0));
        family.walk(
                "UniqueDataset",
                5,
                LONG,
                p -> unary(p, "UniqueDataset", slices(p, Tensor.of(Shape.of(6), 3L, 1L, 3L, 2L, 1L, 2L))));
        family.walk(
                "UniqueDataset",
                4,
                List.of(DType.STRING),
                p -> unary(
                        p,
                        "UniqueDataset",
                        List.of(DType.STRING),
                        slices(p, Tensor.of(Shape.of(4), "a", "b", "a", ""))));
        family.walk(
                "FilterByLastComponentDataset",
                4,
                LONG,
                p -> unary(
                        p,
                        "FilterByLastComponentDataset",
                        slices(p, Tensor.of(Shape.of(3), 1L, 2L, 3L), Tensor.of(Shape.of(3), true, false, true))));
        family.walk(
                "ParallelFilterDataset",
                5,
                LONG,
                p -> withFunction(
                        p, "ParallelFilterDataset", "predicate", predicate(p, 2), range(p, 0, 8, 1), number(p, 2)));
        for (long n : new long[] {3, 2, 4, 1, -1, -2})
            family.walk(
                    "AssertCardinalityDataset",
                    5,
                    LONG,
                    p -> unary(p, "AssertCardinalityDataset", range(p, 0, 3, 1), number(p, n)));
    }

    private void cardinality(Function<SampleFamily.Program, Edge> set) {
        family.program(
                "DatasetCardinality",
                p -> p.fetch(p.add(named("DatasetCardinality"), set.apply(p)).edge(0)));
    }

    private void whole() {
        cardinality(p -> range(p, 0, 7, 2));
        for (long n : new long[] {0, 2, 9, -1})
            for (String op : List.of("TakeDataset", "SkipDataset", "RepeatDataset")) {
                cardinality(p -> unary(p, op, range(p, 0, 3, 1), number(p, n)));
                cardinality(
                        p -> unary(p, op, unary(p, "RepeatDataset", range(p, 0, 3, 1), number(p, -1)), number(p, n)));
                cardinality(p -> unary(
                        p,
                        op,
                        withFunction(p, "FilterDataset", "predicate", predicate(p, 2), range(p, 0, 8, 1)),
                        number(p, n)));
            }
        cardinality(p -> unary(p, "RepeatDataset", range(p, 0, 0, 1), number(p, -1)));
        cardinality(p -> unary(p, "ShardDataset", range(p, 0, 8, 1), number(p, 3), number(p, 1)));
        cardinality(p -> unary(p, "ConcatenateDataset", range(p, 0, 2, 1), range(p, 5, 7, 1)));
        cardinality(p -> unary(p, "BatchDataset", range(p, 0, 5, 1), number(p, 2)));
        cardinality(p -> unary(p, "BatchDatasetV2", range(p, 0, 5, 1), number(p, 2), flag(p, true)));
        cardinality(p -> mapped(p, "MapDataset", range(p, 0, 3, 1), x -> x.times(x)));
        cardinality(p ->
                unary(p, "WindowDataset", range(p, 0, 7, 1), number(p, 3), number(p, 2), number(p, 2), flag(p, true)));
        cardinality(p -> unary(p, "RandomDataset", number(p, 5), number(p, 9)));
        for (String op : List.of("CompressElement", "UncompressElement"))
            family.program(op, p -> {
                Edge packed = p.add(
                                named("CompressElement", "input_types", List.of(DType.I64, DType.STRING)),
                                p.constant(Tensor.of(Shape.of(2), 1L, 2L)),
                                p.constant(Tensor.scalar("abc")))
                        .edge(0);
                var open = p.add(
                        named(
                                "UncompressElement",
                                "output_types",
                                List.of(DType.I64, DType.STRING),
                                "output_shapes",
                                List.of(Shape.UNKNOWN, Shape.UNKNOWN)),
                        packed);
                p.fetch(open.edge(0), open.edge(1));
            });
    }
}
