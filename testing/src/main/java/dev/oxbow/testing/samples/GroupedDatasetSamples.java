package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.ANY;
import static dev.oxbow.testing.samples.DatasetParts.LONG;
import static dev.oxbow.testing.samples.DatasetParts.NUMBER;
import static dev.oxbow.testing.samples.DatasetParts.function;
import static dev.oxbow.testing.samples.DatasetParts.mapped;
import static dev.oxbow.testing.samples.DatasetParts.number;
import static dev.oxbow.testing.samples.DatasetParts.predicate;
import static dev.oxbow.testing.samples.DatasetParts.range;
import static dev.oxbow.testing.samples.DatasetParts.slices;
import static dev.oxbow.testing.samples.DatasetParts.unary;
import static dev.oxbow.testing.samples.DatasetParts.withFunction;
import static dev.oxbow.testing.samples.SampleFamily.named;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** Samples of data sets that group, fold and choose elements, and of what is made of a whole data set. */
final class GroupedDatasetSamples {
    private static final TensorType SET = new TensorType(DType.VARIANT, Shape.SCALAR);
    private static final List<DType> NONE = List.of();

    private final DatasetSamples family;

    GroupedDatasetSamples(DatasetSamples family) {
        this.family = family;
    }

    void define() {
        same();
        batches();
        windows();
        folds();
        groups();
        choices();
        random();
        whole();
        anonymous();
        family.unanswered(
                "AnonymousRandomSeedGenerator", "TensorFlow 2.21 asks for an input that the op does not have");
        family.unanswered("DeleteRandomSeedGenerator", "TensorFlow 2.21 can not make what it would free");
        family.unanswered("DeleteSeedGenerator", "TensorFlow 2.21 frees by counts, and refuses to");
        family.unanswered("DeleteMemoryCache", "TensorFlow 2.21 frees by counts, and refuses to");
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

    private static Edge flag(SampleFamily.Program p, boolean on) {
        return p.constant(Tensor.scalar(on));
    }

    private static Edge batch(SampleFamily.Program p, List<DType> types, Edge from, long size) {
        return unary(p, "BatchDatasetV2", types, from, number(p, size), flag(p, false));
    }

    private void batches() {
        for (boolean drop : new boolean[] {false, true}) {
            family.walk(
                    "ParallelBatchDataset",
                    4,
                    LONG,
                    p -> unary(
                            p, "ParallelBatchDataset", range(p, 0, 5, 1), number(p, 2), number(p, 2), flag(p, drop)));
            family.walk(
                    "MapAndBatchDataset",
                    4,
                    LONG,
                    p -> mapped(
                            p,
                            "MapAndBatchDataset",
                            range(p, 0, 5, 1),
                            x -> x.times(x),
                            number(p, 2),
                            number(p, 2),
                            flag(p, drop)));
            for (long[] sizes : new long[][] {{2}, {1, 3}, {4, 0, 2}, {9}})
                family.walk(
                        "RebatchDatasetV2",
                        9,
                        LONG,
                        p -> unary(
                                p,
                                "RebatchDatasetV2",
                                batch(p, LONG, range(p, 0, 10, 1), 3),
                                p.constant(Tensor.of(Shape.of(sizes.length), sizes)),
                                flag(p, drop)));
        }
        for (long n : new long[] {1, 2, 3, 5})
            family.walk(
                    "RebatchDataset",
                    12,
                    LONG,
                    p -> unary(p, "RebatchDataset", batch(p, LONG, range(p, 0, 6, 1), 4), number(p, n)));
        family.walk(
                "UnbatchDataset",
                7,
                List.of(DType.F32, DType.STRING),
                p -> unary(
                        p,
                        "UnbatchDataset",
                        List.of(DType.F32, DType.STRING),
                        batch(
                                p,
                                List.of(DType.F32, DType.STRING),
                                slices(
                                        p,
                                        SampleFamily.floats(1, 5, 2),
                                        Tensor.of(Shape.of(5), "a", "b", "c", "d", "e")),
                                2)));
        family.walk("UnbatchDataset", 2, LONG, p -> unary(p, "UnbatchDataset", range(p, 0, 3, 1)));
    }

    /** Windows, whose elements are summed up by a function of a function. */
    private void windows() {
        for (long[] w : new long[][] {{3, 3, 1}, {3, 1, 1}, {2, 1, 2}, {2, 4, 1}, {4, 2, 3}, {1, 1, 1}})
            for (boolean drop : new boolean[] {false, true})
                family.walk(
                        "WindowDataset",
                        12,
                        LONG,
                        p -> withFunction(
                                p,
                                "FlatMapDataset",
                                "f",
                                batched(p),
                                unary(
                                        p,
                                        "WindowDataset",
                                        range(p, 0, 7, 1),
                                        number(p, w[0]),
                                        number(p, w[1]),
                                        number(p, w[2]),
                                        flag(p, drop))));
        family.walk(
                "WindowDataset",
                1,
                List.of(DType.VARIANT),
                p -> unary(
                        p,
                        "WindowDataset",
                        List.of(DType.VARIANT),
                        range(p, 0, 7, 1),
                        number(p, 0),
                        number(p, 1),
                        number(p, 1),
                        flag(p, false)));
    }

    /** All elements of a window as one. */
    private static FunctionRef batched(SampleFamily.Program p) {
        return new FunctionRef(Ops.in(p.graph())
                .function("batched", List.of(SET), v -> List.of(batch(v.get(0), 100)))
                .name());
    }

    private static Value batch(Value set, long size) {
        Ops ops = Ops.in(set.graph());
        return Value.apply(
                named("BatchDatasetV2", "output_types", LONG, "output_shapes", ANY),
                set,
                ops.constant(Tensor.scalar(size)),
                ops.constant(Tensor.scalar(false)));
    }

    private static FunctionRef of(
            SampleFamily.Program p, String name, List<TensorType> in, Function<List<Value>, List<Value>> f) {
        return new FunctionRef(Ops.in(p.graph()).function(name, in, f::apply).name());
    }

    private static FunctionRef sum(SampleFamily.Program p) {
        return of(
                p,
                "sum",
                List.of(NUMBER, NUMBER),
                v -> List.of(v.get(0).plus(v.get(1)), v.get(0).times(v.get(1))));
    }

    private void folds() {
        family.walk(
                "ScanDataset",
                6,
                LONG,
                p -> p.add(
                                named(
                                        "ScanDataset",
                                        "f",
                                        sum(p),
                                        "Tstate",
                                        LONG,
                                        "Targuments",
                                        NONE,
                                        "output_types",
                                        LONG,
                                        "output_shapes",
                                        ANY),
                                range(p, 1, 5, 1),
                                number(p, 10))
                        .edge(0));
        for (long n : new long[] {0, 5})
            family.program("ReduceDataset", p -> {
                FunctionRef f = of(
                        p,
                        "add",
                        List.of(NUMBER, NUMBER, NUMBER),
                        v -> List.of(v.get(0).times(v.get(2)).plus(v.get(1))));
                Edge all = p.add(
                                named(
                                        "ReduceDataset",
                                        "f",
                                        f,
                                        "Tstate",
                                        LONG,
                                        "Targuments",
                                        LONG,
                                        "output_types",
                                        LONG,
                                        "output_shapes",
                                        ANY),
                                range(p, 0, n, 1),
                                number(p, 1),
                                number(p, 3))
                        .edge(0);
                p.fetch(all).fetch(all);
            });
        for (long n : new long[] {0, 1, 2})
            family.program("DatasetToSingleElement", p -> {
                Edge one = p.add(
                                named("DatasetToSingleElement", "output_types", LONG, "output_shapes", ANY),
                                range(p, 0, n, 1))
                        .edge(0);
                p.fetch(one);
            });
    }

    private void groups() {
        for (long size : new long[] {2, 3, 0})
            family.walk("GroupByWindowDataset", 8, LONG, p -> {
                FunctionRef key = function(
                        p,
                        "key",
                        x -> Value.apply(named("FloorMod"), x, Ops.in(x.graph()).constant(Tensor.scalar(3L))));
                FunctionRef length = function(
                        p,
                        "size",
                        x -> Value.apply(
                                named("AddV2"),
                                Value.apply(named("Mul"), x, Ops.in(x.graph()).constant(Tensor.scalar(0L))),
                                Ops.in(x.graph()).constant(Tensor.scalar(size))));
                FunctionRef reduce = of(p, "reduce", List.of(NUMBER, SET), v -> List.of(batch(v.get(1), 10)));
                return p.add(
                                named(
                                        "GroupByWindowDataset",
                                        "key_func",
                                        key,
                                        "reduce_func",
                                        reduce,
                                        "window_size_func",
                                        length,
                                        "Tkey_func_other_arguments",
                                        NONE,
                                        "Treduce_func_other_arguments",
                                        NONE,
                                        "Twindow_size_func_other_arguments",
                                        NONE,
                                        "output_types",
                                        LONG,
                                        "output_shapes",
                                        ANY),
                                range(p, 0, 10, 1))
                        .edge(0);
            });
        family.walk("GroupByReducerDataset", 5, LONG, p -> {
            FunctionRef key = function(
                    p,
                    "key",
                    x -> Value.apply(named("FloorMod"), x, Ops.in(x.graph()).constant(Tensor.scalar(3L))));
            FunctionRef init = function(p, "init", x -> x.times(x));
            FunctionRef reduce = of(
                    p, "reduce", List.of(NUMBER, NUMBER), v -> List.of(v.get(0).plus(v.get(1))));
            FunctionRef last = function(p, "last", x -> x.plus(x));
            return p.add(
                            named(
                                    "GroupByReducerDataset",
                                    "key_func",
                                    key,
                                    "init_func",
                                    init,
                                    "reduce_func",
                                    reduce,
                                    "finalize_func",
                                    last,
                                    "Tkey_func_other_arguments",
                                    NONE,
                                    "Tinit_func_other_arguments",
                                    NONE,
                                    "Treduce_func_other_arguments",
                                    NONE,
                                    "Tfinalize_func_other_arguments",
                                    NONE,
                                    "output_types",
                                    LONG,
                                    "output_shapes",
                                    ANY),
                            range(p, 0, 8, 1))
                    .edge(0);
        });
    }

    private void choices() {
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

    private void random() {
        family.walk("RandomDataset", 5, LONG, p -> unary(p, "RandomDataset", number(p, 5), number(p, 9)));
        for (double rate : new double[] {0.3, 0.8})
            family.walk(
                    "SamplingDataset",
                    8,
                    LONG,
                    p -> unary(
                            p,
                            "SamplingDataset",
                            range(p, 0, 10, 1),
                            p.constant(Tensor.scalar((float) rate)),
                            number(p, 5),
                            number(p, 9)));
        for (boolean again : new boolean[] {false, true}) {
            family.walk(
                    "ShuffleAndRepeatDataset",
                    11,
                    LONG,
                    p -> p.add(
                                    named(
                                            "ShuffleAndRepeatDataset",
                                            "reshuffle_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    range(p, 0, 5, 1),
                                    number(p, 3),
                                    number(p, 5),
                                    number(p, 9),
                                    number(p, 2))
                            .edge(0));
            for (String op : List.of("ShuffleDatasetV3", "DummySeedGenerator"))
                family.walk(
                        op,
                        6,
                        LONG,
                        p -> p.add(
                                        named(
                                                "ShuffleDatasetV3",
                                                "reshuffle_each_iteration",
                                                again,
                                                "output_types",
                                                LONG,
                                                "output_shapes",
                                                ANY),
                                        range(p, 0, 5, 1),
                                        number(p, 3),
                                        number(p, 5),
                                        number(p, 9),
                                        p.add(named("DummySeedGenerator")).edge(0))
                                .edge(0));
            family.walk(
                    "ShuffleAndRepeatDatasetV2",
                    11,
                    LONG,
                    p -> p.add(
                                    named(
                                            "ShuffleAndRepeatDatasetV2",
                                            "reshuffle_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    range(p, 0, 5, 1),
                                    number(p, 3),
                                    number(p, 5),
                                    number(p, 9),
                                    number(p, 2),
                                    p.add(named("DummySeedGenerator")).edge(0))
                            .edge(0));
            family.walk(
                    "RandomDatasetV2",
                    4,
                    LONG,
                    p -> p.add(
                                    named(
                                            "RandomDatasetV2",
                                            "rerandomize_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    number(p, 5),
                                    number(p, 9),
                                    p.add(named("DummySeedGenerator")).edge(0))
                            .edge(0));
        }
        for (String op : List.of("CacheDatasetV2", "DummyMemoryCache"))
            family.walk(
                    op,
                    7,
                    LONG,
                    p -> unary(
                            p,
                            "RepeatDataset",
                            unary(
                                    p,
                                    "CacheDatasetV2",
                                    range(p, 0, 3, 1),
                                    p.constant(Tensor.scalar("")),
                                    p.add(named("DummyMemoryCache")).edge(0)),
                            number(p, 2)));
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

    /** An iterator and the like that only this graph can find, made, used and freed in one step. */
    private void anonymous() {
        family.program("IteratorGetNextAsOptional", p -> {
            Edge it = p.add(named(
                            "IteratorV2",
                            "shared_name",
                            "",
                            "container",
                            "",
                            "output_types",
                            LONG,
                            "output_shapes",
                            ANY))
                    .edge(0);
            var make = p.add(named("MakeIterator"), range(p, 0, 2, 1), it);
            Edge next = p.add(named("IteratorGetNextAsOptional", "output_types", LONG, "output_shapes", ANY), it)
                    .edge(0);
            Edge has = p.add(named("OptionalHasValue"), next).edge(0);
            Edge value = p.add(named("OptionalGetValue", "output_types", LONG, "output_shapes", ANY), next)
                    .edge(0);
            p.target(make).fetch(has, value).fetch(has).fetch(has).fetch(value);
        });
        for (String op : List.of("AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", "DeleteIterator"))
            family.program(op, p -> {
                String made = op.startsWith("Delete") ? "AnonymousIteratorV2" : op;
                var it = p.add(named(made, "output_types", LONG, "output_shapes", ANY));
                var make = p.add(named("MakeIterator"), range(p, 4, 6, 1), it.edge(0));
                Edge next = p.addAfter(
                                named("IteratorGetNext", "output_types", LONG, "output_shapes", ANY), make, it.edge(0))
                        .edge(0);
                p.fetch(next);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), next.node(), it.edge(0), it.edge(1)));
            });
        seeds();
    }

    private void seeds() {
        for (String op : List.of(
                "AnonymousSeedGenerator",
                "AnonymousRandomSeedGenerator",
                "ShuffleDatasetV2",
                "DeleteSeedGenerator",
                "DeleteRandomSeedGenerator"))
            family.program(op, p -> {
                boolean drawn = op.contains("Random");
                var seeds = drawn
                        ? p.add(named("AnonymousRandomSeedGenerator"), number(p, 5), number(p, 9))
                        : p.add(named("AnonymousSeedGenerator"), number(p, 5), number(p, 9), flag(p, true));
                Edge set = unary(p, "ShuffleDatasetV2", range(p, 0, 6, 1), number(p, 6), seeds.edge(0));
                Edge all = p.add(
                                named("DatasetToSingleElement", "output_types", LONG, "output_shapes", ANY),
                                unary(p, "BatchDataset", set, number(p, 6)))
                        .edge(0);
                p.fetch(all);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), all.node(), seeds.edge(0), seeds.edge(1)));
            });
        for (String op : List.of("AnonymousMemoryCache", "DeleteMemoryCache"))
            family.program(op, p -> {
                var cache = p.add(named("AnonymousMemoryCache"));
                Edge set = unary(
                        p,
                        "RepeatDataset",
                        unary(p, "CacheDatasetV2", range(p, 0, 3, 1), p.constant(Tensor.scalar("")), cache.edge(0)),
                        number(p, 2));
                Edge all = p.add(
                                named("DatasetToSingleElement", "output_types", LONG, "output_shapes", ANY),
                                unary(p, "BatchDataset", set, number(p, 6)))
                        .edge(0);
                p.fetch(all);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), all.node(), cache.edge(0), cache.edge(1)));
            });
    }
}
