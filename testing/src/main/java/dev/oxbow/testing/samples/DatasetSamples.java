package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.ANY;
import static dev.oxbow.testing.samples.DatasetParts.LONG;
import static dev.oxbow.testing.samples.DatasetParts.NUMBER;
import static dev.oxbow.testing.samples.DatasetParts.mapped;
import static dev.oxbow.testing.samples.DatasetParts.number;
import static dev.oxbow.testing.samples.DatasetParts.padded;
import static dev.oxbow.testing.samples.DatasetParts.predicate;
import static dev.oxbow.testing.samples.DatasetParts.ragged;
import static dev.oxbow.testing.samples.DatasetParts.range;
import static dev.oxbow.testing.samples.DatasetParts.ranges;
import static dev.oxbow.testing.samples.DatasetParts.slices;
import static dev.oxbow.testing.samples.DatasetParts.unary;
import static dev.oxbow.testing.samples.DatasetParts.withFunction;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** Samples of data sets: each is walked by an iterator beyond its end, twice where it is begun again. */
public final class DatasetSamples extends SampleFamily {

    @Override
    public String name() {
        return "dataset";
    }

    @Override
    protected void define() {
        sources();
        parts();
        batches();
        functions();
        others();
        iterators();
        new FileDatasetSamples(this).define();
        new GroupedDatasetSamples(this).define();
        new ChosenDatasetSamples(this).define();
        new SeededDatasetSamples(this).define();
        unanswered(
                "FixedLengthRecordDataset", "TensorFlow 2.21 gives the graph of this op inputs of its second version");
        unanswered("TFRecordDatasetV2", "TensorFlow 2.21 gives the graph of this op inputs of its first version");
    }

    /** A data set walked to two elements beyond its end or up to {@code most}, then from the beginning. */
    void walk(String op, int most, List<DType> types, Function<Program, Edge> dataset) {
        program(op, p -> {
            List<Shape> shapes = types.stream().map(_ -> Shape.UNKNOWN).toList();
            Edge it = p.add(named(
                            "IteratorV2",
                            "shared_name",
                            "",
                            "container",
                            "",
                            "output_types",
                            types,
                            "output_shapes",
                            shapes))
                    .edge(0);
            Node make = p.add(named("MakeIterator"), dataset.apply(p), it);
            Node next = p.add(named("IteratorGetNext", "output_types", types, "output_shapes", shapes), it);
            Edge[] all = new Edge[types.size()];
            for (int i = 0; i < all.length; i++) all[i] = next.edge(i);
            p.fetch(all);
            for (int round = 0; round < 2; round++) {
                p.target(make);
                for (int i = 0; i < most; i++) p.fetch(all);
            }
        });
    }

    private void walk(String op, int most, Function<Program, Edge> dataset) {
        walk(op, most, LONG, dataset);
    }

    private void sources() {
        for (long[] r : new long[][] {{0, 4, 1}, {5, -2, -3}, {3, 3, 1}, {4, 0, 1}})
            walk("RangeDataset", 5, p -> range(p, r[0], r[1], r[2]));
        walk("RangeDataset", 1, p -> range(p, 0, 4, 0));
        walk(
                "TensorDataset",
                2,
                List.of(DType.F32, DType.STRING),
                p -> p.add(
                                named("TensorDataset", "output_shapes", List.of(Shape.UNKNOWN, Shape.UNKNOWN)),
                                p.constant(floats(1, 2, 3)),
                                p.constant(Tensor.scalar("a")))
                        .edge(0));
        walk(
                "TensorSliceDataset",
                4,
                List.of(DType.F32, DType.STRING),
                p -> slices(p, floats(1, 3, 2), Tensor.of(Shape.of(3), "a", "b", "c")));
        walk("TensorSliceDataset", 1, p -> slices(p, Tensor.of(Shape.of(0), new long[0])));
        walk(
                "TensorSliceDataset",
                1,
                List.of(DType.I64, DType.I64),
                p -> slices(p, Tensor.of(Shape.of(2), 1L, 2L), Tensor.of(Shape.of(3), 1L, 2L, 3L)));
    }

    private void parts() {
        for (long n : new long[] {0, 2, 9, -1}) {
            walk("TakeDataset", 5, p -> unary(p, "TakeDataset", range(p, 0, 4, 1), number(p, n)));
            walk("SkipDataset", 5, p -> unary(p, "SkipDataset", range(p, 0, 4, 1), number(p, n)));
            walk("RepeatDataset", 7, p -> unary(p, "RepeatDataset", range(p, 0, 3, 1), number(p, n)));
        }
        walk("RepeatDataset", 1, p -> unary(p, "RepeatDataset", range(p, 0, 0, 1), number(p, -1)));
        walk("ShardDataset", 4, p -> unary(p, "ShardDataset", range(p, 0, 8, 1), number(p, 3), number(p, 1)));
        walk("ShardDataset", 1, p -> unary(p, "ShardDataset", range(p, 0, 8, 1), number(p, 3), number(p, 3)));
        walk("ConcatenateDataset", 5, p -> unary(p, "ConcatenateDataset", range(p, 0, 2, 1), range(p, 5, 7, 1)));
        walk(
                "ZipDataset",
                3,
                List.of(DType.I64, DType.I64),
                p -> unary(p, "ZipDataset", List.of(DType.I64, DType.I64), range(p, 0, 2, 1), range(p, 5, 9, 1)));
    }

    private void batches() {
        walk("BatchDataset", 4, p -> unary(p, "BatchDataset", range(p, 0, 5, 1), number(p, 2)));
        walk("BatchDataset", 1, p -> unary(p, "BatchDataset", range(p, 0, 5, 1), number(p, 0)));
        for (boolean drop : new boolean[] {false, true}) {
            walk(
                    "BatchDatasetV2",
                    4,
                    List.of(DType.F32, DType.STRING),
                    p -> unary(
                            p,
                            "BatchDatasetV2",
                            List.of(DType.F32, DType.STRING),
                            slices(p, floats(1, 3, 2), Tensor.of(Shape.of(3), "a", "b", "c")),
                            number(p, 2),
                            p.constant(Tensor.scalar(drop))));
            walk(
                    "PaddedBatchDatasetV2",
                    4,
                    p -> padded(p, "PaddedBatchDatasetV2", -1, p.constant(Tensor.scalar(drop))));
        }
        for (long length : new long[] {-1, 5, 2})
            walk("PaddedBatchDataset", 4, p -> padded(p, "PaddedBatchDataset", length));
        walk(
                "BatchDatasetV2",
                2,
                p -> unary(p, "BatchDatasetV2", ragged(p), number(p, 3), p.constant(Tensor.scalar(false))));
        for (String old : List.of("BatchDataset", "PaddedBatchDataset"))
            unanswered(old, "the kernel of TensorFlow 2.21 asks for an attribute that this op does not have");
    }

    private void functions() {
        walk("MapDataset", 4, p -> mapped(p, "MapDataset", range(p, 0, 3, 1), x -> x.times(x)));
        walk("MapDataset", 3, p -> {
            List<TensorType> two = List.of(NUMBER, NUMBER);
            FunctionRef f = new FunctionRef(Ops.in(p.graph())
                    .function("captured", two, v -> List.of(v.get(0).plus(v.get(1))))
                    .name());
            return p.add(
                            named("MapDataset", "f", f, "output_types", LONG, "output_shapes", ANY, "Targuments", LONG),
                            range(p, 0, 2, 1),
                            number(p, 100))
                    .edge(0);
        });
        walk(
                "ParallelMapDataset",
                4,
                p -> mapped(p, "ParallelMapDataset", range(p, 0, 3, 1), x -> x.times(x), p.constant(Tensor.scalar(2))));
        walk(
                "ParallelMapDatasetV2",
                4,
                p -> mapped(p, "ParallelMapDatasetV2", range(p, 0, 3, 1), x -> x.times(x), number(p, 2)));
        walk(
                "FilterDataset",
                5,
                p -> withFunction(p, "FilterDataset", "predicate", predicate(p, 2), range(p, 0, 8, 1)));
        walk(
                "TakeWhileDataset",
                4,
                p -> withFunction(p, "TakeWhileDataset", "predicate", predicate(p, 3), range(p, 1, 8, 1)));
        walk("FlatMapDataset", 8, p -> withFunction(p, "FlatMapDataset", "f", ranges(p), range(p, 0, 4, 1)));
        for (long[] c : new long[][] {{2, 1}, {3, 2}, {1, 5}, {0, 1}})
            walk(
                    "InterleaveDataset",
                    8,
                    p -> withFunction(
                            p,
                            "InterleaveDataset",
                            "f",
                            ranges(p),
                            range(p, 0, 4, 1),
                            number(p, c[0]),
                            number(p, c[1])));
        for (String v : List.of("ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3"))
            walk(
                    v,
                    8,
                    p -> withFunction(
                            p, v, "f", ranges(p), range(p, 0, 4, 1), number(p, 2), number(p, 2), number(p, 2)));
        walk(
                "ParallelInterleaveDatasetV4",
                8,
                p -> withFunction(
                        p,
                        "ParallelInterleaveDatasetV4",
                        "f",
                        ranges(p),
                        range(p, 0, 4, 1),
                        number(p, 2),
                        number(p, 2),
                        number(p, 1),
                        number(p, 1),
                        number(p, 2)));
    }

    private void others() {
        for (int n : new int[] {1, 4, 20})
            for (boolean again : new boolean[] {false, true})
                walk(
                        "ShuffleDataset",
                        11,
                        p -> p.add(
                                        named(
                                                "ShuffleDataset",
                                                "reshuffle_each_iteration",
                                                again,
                                                "output_types",
                                                LONG,
                                                "output_shapes",
                                                ANY),
                                        range(p, 0, 10, 1),
                                        number(p, n),
                                        number(p, 42),
                                        number(p, 7))
                                .edge(0));
        walk(
                "ShuffleDataset",
                7,
                p -> unary(
                        p,
                        "RepeatDataset",
                        p.add(
                                        named("ShuffleDataset", "output_types", LONG, "output_shapes", ANY),
                                        range(p, 0, 3, 1),
                                        number(p, 3),
                                        number(p, 1),
                                        number(p, 2))
                                .edge(0),
                        number(p, 2)));
        walk(
                "CacheDataset",
                7,
                p -> unary(
                        p,
                        "RepeatDataset",
                        unary(p, "CacheDataset", range(p, 0, 3, 1), p.constant(Tensor.scalar(""))),
                        number(p, 2)));
        walk("PrefetchDataset", 4, p -> unary(p, "PrefetchDataset", range(p, 0, 3, 1), number(p, 2)));
        walk("ModelDataset", 4, p -> unary(p, "ModelDataset", range(p, 0, 3, 1)));
        Tensor none = Tensor.of(Shape.of(0), new String[0]);
        walk("OptimizeDataset", 4, p -> unary(p, "OptimizeDataset", range(p, 0, 3, 1), p.constant(none)));
        walk(
                "OptimizeDatasetV2",
                4,
                p -> unary(
                        p,
                        "OptimizeDatasetV2",
                        range(p, 0, 3, 1),
                        p.constant(none),
                        p.constant(none),
                        p.constant(none)));
        walk(
                "OptionsDataset",
                4,
                p -> p.add(
                                named(
                                        "OptionsDataset",
                                        "serialized_options",
                                        "",
                                        "output_types",
                                        LONG,
                                        "output_shapes",
                                        ANY),
                                range(p, 0, 3, 1))
                        .edge(0));
    }

    private void iterators() {
        program("OneShotIterator", p -> {
            Value zero = Value.of(number(p, 0)), three = Value.of(number(p, 3)), one = Value.of(number(p, 1));
            FunctionRef factory = new FunctionRef(Ops.in(p.graph())
                    .function(
                            "factory",
                            List.of(),
                            _ -> List.of(Value.apply(
                                    named("RangeDataset", "output_types", LONG, "output_shapes", List.of(Shape.SCALAR)),
                                    zero,
                                    three,
                                    one)))
                    .name());
            Edge it = p.add(named(
                            "OneShotIterator", "dataset_factory", factory, "output_types", LONG, "output_shapes", ANY))
                    .edge(0);
            Edge next = p.add(named("IteratorGetNext", "output_types", LONG, "output_shapes", ANY), it)
                    .edge(0);
            for (int i = 0; i < 4; i++) p.fetch(next);
        });
        for (String cover : List.of("Iterator", "MakeIterator", "IteratorGetNext", "IteratorGetNextSync"))
            program(cover, p -> {
                String op = cover.equals("Iterator") ? "Iterator" : "IteratorV2";
                Edge it = p.add(named(
                                op,
                                "shared_name",
                                "s" + cover,
                                "container",
                                "",
                                "output_types",
                                LONG,
                                "output_shapes",
                                ANY))
                        .edge(0);
                Node make = p.add(named("MakeIterator"), range(p, 0, 3, 1), it);
                String get = cover.endsWith("Sync") ? cover : "IteratorGetNext";
                Edge next = p.add(named(get, "output_types", LONG, "output_shapes", ANY), it)
                        .edge(0);
                p.fetch(next)
                        .target(make)
                        .fetch(next)
                        .fetch(next)
                        .target(make)
                        .fetch(next)
                        .fetch(next);
            });
        for (String cover : List.of("IteratorToStringHandle", "IteratorFromStringHandle", "IteratorFromStringHandleV2"))
            program(cover, p -> {
                Edge it = p.add(named(
                                "IteratorV2",
                                "shared_name",
                                "t" + cover,
                                "container",
                                "",
                                "output_types",
                                LONG,
                                "output_shapes",
                                ANY))
                        .edge(0);
                Node make = p.add(named("MakeIterator"), range(p, 0, 3, 1), it);
                String from = cover.startsWith("IteratorFrom") ? cover : "IteratorFromStringHandle";
                Edge text = p.add(named("IteratorToStringHandle"), it).edge(0);
                Edge same = p.add(named(from, "output_types", LONG, "output_shapes", ANY), text)
                        .edge(0);
                Edge next = p.add(named("IteratorGetNext", "output_types", LONG, "output_shapes", ANY), same)
                        .edge(0);
                p.target(make).fetch(next).fetch(next);
            });
    }
}
