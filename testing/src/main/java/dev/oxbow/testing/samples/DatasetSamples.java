package dev.oxbow.testing.samples;

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
import java.util.function.UnaryOperator;

/** Samples of data sets: each is walked by an iterator beyond its end, twice where it is begun again. */
public final class DatasetSamples extends SampleFamily {
    private static final List<DType> LONG = List.of(DType.I64);
    private static final List<Shape> ANY = List.of(Shape.UNKNOWN);
    private static final TensorType NUMBER = new TensorType(DType.I64, Shape.SCALAR);

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
    }

    private static Edge number(Program p, long value) {
        return p.constant(Tensor.scalar(value));
    }

    private static Edge range(Program p, long start, long stop, long step) {
        return p.add(
                        named("RangeDataset", "output_types", LONG, "output_shapes", List.of(Shape.SCALAR)),
                        number(p, start),
                        number(p, stop),
                        number(p, step))
                .edge(0);
    }

    /** A data set walked to two elements beyond its end or up to {@code most}, then from the beginning. */
    private void walk(String op, int most, List<DType> types, Function<Program, Edge> dataset) {
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

    private static Edge unary(Program p, String op, Edge from, Edge... more) {
        return unary(p, op, LONG, from, more);
    }

    private static Edge unary(Program p, String op, List<DType> types, Edge from, Edge... more) {
        Edge[] in = new Edge[more.length + 1];
        in[0] = from;
        System.arraycopy(more, 0, in, 1, more.length);
        List<Shape> shapes = types.stream().map(_ -> Shape.UNKNOWN).toList();
        return p.add(named(op, "output_types", types, "output_shapes", shapes), in)
                .edge(0);
    }

    private static Edge slices(Program p, Tensor... tensors) {
        Edge[] in = new Edge[tensors.length];
        for (int i = 0; i < in.length; i++) in[i] = p.constant(tensors[i]);
        List<Shape> shapes = List.of(tensors).stream().map(_ -> Shape.UNKNOWN).toList();
        return p.add(named("TensorSliceDataset", "output_shapes", shapes), in).edge(0);
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

    /** Vectors of 0, 1, 2, 3 and 4 elements. */
    private static Edge ragged(Program p) {
        return mapped(
                p,
                "MapDataset",
                range(p, 0, 5, 1),
                x -> Value.apply(named("Tile"), Ops.in(x.graph()).constant(Tensor.of(Shape.of(1), 7L)), x.reshape(1)));
    }

    private static Edge padded(Program p, String op, long length, Edge... more) {
        Edge[] in = new Edge[4 + more.length];
        in[0] = ragged(p);
        in[1] = number(p, 2);
        in[2] = p.constant(Tensor.of(Shape.of(1), length));
        in[3] = number(p, -9);
        System.arraycopy(more, 0, in, 4, more.length);
        return p.add(named(op, "output_shapes", ANY, "N", 1L), in).edge(0);
    }

    private static FunctionRef function(Program p, String name, UnaryOperator<Value> f) {
        return new FunctionRef(Ops.in(p.graph())
                .function(name, List.of(NUMBER), v -> List.of(f.apply(v.get(0))))
                .name());
    }

    private static Edge mapped(Program p, String op, Edge from, UnaryOperator<Value> f, Edge... more) {
        return withFunction(p, op, "f", function(p, "mapped", f), from, more);
    }

    private static Edge withFunction(Program p, String op, String word, FunctionRef f, Edge from, Edge... more) {
        Edge[] in = new Edge[more.length + 1];
        in[0] = from;
        System.arraycopy(more, 0, in, 1, more.length);
        return p.add(named(op, word, f, "output_types", LONG, "output_shapes", ANY, "Targuments", List.of()), in)
                .edge(0);
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

    /** Whether a number is no multiple of another. */
    private static FunctionRef predicate(Program p, long of) {
        return function(
                p,
                "predicate",
                x -> Value.apply(
                        named("NotEqual"),
                        Value.apply(named("FloorMod"), x, Ops.in(x.graph()).constant(Tensor.scalar(of))),
                        Ops.in(x.graph()).constant(Tensor.scalar(0L))));
    }

    /** As many numbers as the element says. */
    private static FunctionRef ranges(Program p) {
        return function(p, "ranges", x -> {
            Ops ops = Ops.in(x.graph());
            return Value.apply(
                    named("RangeDataset", "output_types", LONG, "output_shapes", List.of(Shape.SCALAR)),
                    ops.constant(Tensor.scalar(0L)),
                    x,
                    ops.constant(Tensor.scalar(1L)));
        });
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
