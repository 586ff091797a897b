package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.ANY;
import static dev.oxbow.testing.samples.DatasetParts.LONG;
import static dev.oxbow.testing.samples.DatasetParts.NUMBER;
import static dev.oxbow.testing.samples.DatasetParts.flag;
import static dev.oxbow.testing.samples.DatasetParts.function;
import static dev.oxbow.testing.samples.DatasetParts.mapped;
import static dev.oxbow.testing.samples.DatasetParts.number;
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

/** Samples of data sets that batch, window, fold and group elements. */
final class GroupedDatasetSamples {
    private static final TensorType SET = new TensorType(DType.VARIANT, Shape.SCALAR);
    private static final List<DType> NONE = List.of();

    private final DatasetSamples family;

    GroupedDatasetSamples(DatasetSamples family) {
        this.family = family;
    }

    void define() {
        batches();
        windows();
        folds();
        groups();
    }

    private static Edge batch(SampleFamily.Program p, List<DType> types, Edge from, long size) {
        return unary(p, "BatchDatasetV2", types, from, number(p, size), flag(p, false));
    }

    private static Value batch(Value set, long size) {
        Ops ops = Ops.in(set.graph());
        return Value.apply(
                named("BatchDatasetV2", "output_types", LONG, "output_shapes", ANY),
                set,
                ops.constant(Tensor.scalar(size)),
                ops.constant(Tensor.scalar(false)));
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
}
