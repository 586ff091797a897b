package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples of sparse and ragged tensors and of sets. */
public final class SparseSamples extends SampleFamily {
    /** Four entries of a 3 by 4 matrix, in order. */
    private static final Tensor PLACES = places(2, 0, 1, 0, 3, 1, 1, 2, 0);

    private static final Tensor SHAPE = longs(3, 4);

    @Override
    public String name() {
        return "sparse";
    }

    @Override
    protected void define() {
        arithmetic();
        structure();
        reductions();
        sets();
        ragged();
        crosses();
        serialised();
        kept();
        new RaggedSamples(this).define();
    }

    private static Tensor longs(long... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    /** Rows of coordinates. */
    private static Tensor places(int rank, long... values) {
        return Tensor.of(Shape.of(values.length / rank, rank), values);
    }

    private void arithmetic() {
        Tensor others = places(2, 0, 0, 0, 3, 2, 1), x = doubles(1, 4), y = doubles(2, 3);
        sample(named("SparseAdd"), PLACES, x, SHAPE, others, y, SHAPE, Tensor.scalar(0d));
        sampleWithoutGradient(named("SparseAdd"), PLACES, x, SHAPE, others, y, SHAPE, Tensor.scalar(1d));
        sampleWithoutGradient(
                named("SparseAddGrad"), floats(3, 5), PLACES, others, places(2, 0, 0, 0, 1, 0, 3, 1, 1, 2, 0));
        for (String op : List.of("SparseSparseMaximum", "SparseSparseMinimum")) {
            sample(named(op), PLACES, x, SHAPE, others, y, SHAPE);
            sample(named(op), PLACES, ints(1, -2, 3, -4), SHAPE, others, ints(5, -6, 0), SHAPE);
        }
        sample(named("SparseTensorDenseAdd"), PLACES, x, SHAPE, doubles(4, 3, 4));
        sample(named("SparseTensorDenseAdd"), Tensor.zeros(I64, Shape.of(0, 1)), floats(5, 0), longs(2), floats(6, 2));
        sampleWithoutGradient(named("SparseDenseCwiseAdd"), PLACES, x, SHAPE, doubles(7, 4));
        for (String op : List.of("SparseDenseCwiseMul", "SparseDenseCwiseDiv")) {
            sample(named(op), PLACES, x, SHAPE, random(F64, 0.5, 2, 8, 3, 4));
            sample(named(op), PLACES, x, SHAPE, random(F64, 0.5, 2, 9, 3, 1));
        }
        sample(named("SparseSoftmax"), PLACES, x, SHAPE);
        for (int flags = 0; flags < 4; flags++) {
            boolean left = (flags & 1) != 0, right = (flags & 2) != 0;
            long rows = left ? 3 : 4;
            Tensor dense = right ? doubles(10, 2, rows) : doubles(10, rows, 2);
            sample(named("SparseTensorDenseMatMul", "adjoint_a", left, "adjoint_b", right), PLACES, x, SHAPE, dense);
            Tensor complex = right ? random(C64, -1, 1, 11, 2, rows) : random(C64, -1, 1, 11, rows, 2);
            sampleWithoutGradient(
                    named("SparseTensorDenseMatMul", "adjoint_a", left, "adjoint_b", right),
                    PLACES,
                    random(C64, -1, 1, 12, 4),
                    SHAPE,
                    complex);
        }
    }

    private void structure() {
        Tensor mixed = places(2, 2, 0, 0, 3, 1, 1, 0, 1), x = doubles(21, 4);
        sample(named("SparseReorder"), mixed, x, SHAPE);
        sample(named("SparseReorder"), mixed, Tensor.of(Shape.of(4), "a", "b", "c", "d"), SHAPE);
        sample(named("SparseReshape"), PLACES, SHAPE, longs(2, -1, 2));
        sample(named("SparseReshape"), Tensor.zeros(I64, Shape.of(0, 2)), SHAPE, longs(12));
        Tensor words = Tensor.of(Shape.of(4), "a", "b", "c", "d");
        for (long axis : new long[] {0, -1}) {
            sample(named("SparseConcat", "concat_dim", axis), PLACES, mixed, x, x, SHAPE, SHAPE);
            sample(named("SparseConcat", "concat_dim", axis), PLACES, PLACES, words, words, SHAPE, SHAPE);
            sample(named("SparseSplit", "num_split", 2L), Tensor.scalar(axis < 0 ? 1L : 0L), PLACES, x, SHAPE);
        }
        sample(named("SparseSlice"), PLACES, x, SHAPE, longs(0, 1), longs(2, 9));
        sample(named("SparseSlice"), PLACES, words, SHAPE, longs(2, 3), longs(1, 1));
        sampleWithoutGradient(named("SparseSliceGrad"), floats(22, 2), PLACES, longs(0, 1), places(2, 0, 0, 0, 2));
        sample(named("SparseFillEmptyRows"), PLACES, x, longs(5, 4), Tensor.scalar(1.5));
        sample(named("SparseFillEmptyRows"), PLACES, words, longs(4, 4), Tensor.scalar("-"));
        sampleWithoutGradient(named("SparseFillEmptyRowsGrad"), longs(0, 2, 1), floats(23, 5));
    }

    private void reductions() {
        for (boolean keep : new boolean[] {false, true}) {
            sample(named("SparseReduceSum", "keep_dims", keep), PLACES, doubles(31, 4), SHAPE, ints(0));
            sample(named("SparseReduceSum", "keep_dims", keep), PLACES, doubles(32, 4), SHAPE, ints(-1, 0));
            for (String op : List.of("SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSumSparse")) {
                sample(named(op, "keep_dims", keep), PLACES, floats(33, 4), SHAPE, ints(1));
                sample(named(op, "keep_dims", keep), PLACES, ints(3, 1, -4, 2), SHAPE, ints(0));
            }
        }
    }

    private void sets() {
        Tensor a = Tensor.of(Shape.of(2, 3), 1, 5, 3, 2, 2, 7), b = Tensor.of(Shape.of(2, 2), 3, 9, 7, 7);
        Tensor words = Tensor.of(Shape.of(1, 2), "b", "a"), others = Tensor.of(Shape.of(1, 2), "a", "c");
        Tensor shape = longs(2, 2), places = places(2, 0, 0, 0, 1, 1, 0), values = ints(3, 1, 8);
        for (String operation : List.of("a-b", "b-a", "intersection", "union")) {
            sample(named("DenseToDenseSetOperation", "set_operation", operation), a, b);
            sample(named("DenseToDenseSetOperation", "set_operation", operation), words, others);
            sample(named("DenseToSparseSetOperation", "set_operation", operation), a, places, values, shape);
            sample(
                    named("SparseToSparseSetOperation", "set_operation", operation),
                    places,
                    values,
                    shape,
                    places(2, 0, 0, 1, 1),
                    ints(1, 8),
                    shape);
        }
        sample(named("SetSize"), places, ints(3, 3, 8), shape);
        sample(named("SetSize", "validate_indices", false), places, Tensor.of(Shape.of(3), "a", "b", "a"), shape);
    }

    private void ragged() {
        for (DType splits : List.of(I32, I64)) {
            sample(named("RaggedRange", "Tsplits", splits), ints(0, 5, 8), ints(3, 5, 2), ints(1, 1, -3));
            sample(
                    named("RaggedRange", "Tsplits", splits),
                    Tensor.scalar(1f),
                    Tensor.of(Shape.of(2), 2f, 3f),
                    Tensor.scalar(0.5f));
        }
        Tensor outer = longs(0, 2, 2, 3), inner = longs(0, 1, 4, 5);
        sample(named("RaggedGather", "OUTPUT_RAGGED_RANK", 1L), outer, doubles(41, 3, 2), ints(2, 0, 0));
        sample(
                named("RaggedGather", "OUTPUT_RAGGED_RANK", 3L),
                outer,
                inner,
                doubles(42, 5),
                Tensor.of(Shape.of(1, 2), 0L, 2L));
        sample(named("RaggedTensorToSparse"), outer, doubles(43, 3));
        sample(named("RaggedTensorToSparse"), outer, inner, floats(44, 5, 2));
    }

    private void crosses() {
        Tensor words = Tensor.of(Shape.of(4), "a", "b", "c", "d"), numbers = longs(1, 2, 3, -4);
        Tensor dense = Tensor.of(Shape.of(3, 2), "x", "y", "z", "u", "v", "w");
        Tensor counts = Tensor.of(Shape.of(3, 1), 7L, 8L, 9L);
        List<DType> both = List.of(DType.STRING, I64);
        for (long buckets : new long[] {0, 100}) {
            for (DType inside : both)
                sample(
                        named(
                                "SparseCross",
                                "hashed_output",
                                true,
                                "num_buckets",
                                buckets,
                                "hash_key",
                                956888297470L,
                                "out_type",
                                I64,
                                "internal_type",
                                inside,
                                "N",
                                2L,
                                "sparse_types",
                                List.of(inside, inside),
                                "dense_types",
                                List.of(inside)),
                        PLACES,
                        PLACES,
                        inside == I64 ? numbers : words,
                        inside == I64 ? numbers : words,
                        SHAPE,
                        SHAPE,
                        inside == I64 ? counts : dense);
            for (boolean strong : new boolean[] {false, true})
                sample(
                        named(
                                "SparseCrossHashed",
                                "N",
                                1L,
                                "sparse_types",
                                List.of(DType.STRING),
                                "dense_types",
                                List.of(DType.STRING)),
                        PLACES,
                        words,
                        SHAPE,
                        dense,
                        Tensor.scalar(buckets),
                        Tensor.scalar(strong),
                        longs(17, -5));
            sample(
                    named(
                            "RaggedCross",
                            "Nsparse",
                            1L,
                            "input_order",
                            "DRSR",
                            "hashed_output",
                            true,
                            "num_buckets",
                            buckets,
                            "hash_key",
                            5L,
                            "ragged_values_types",
                            both,
                            "ragged_splits_types",
                            List.of(I64, I64),
                            "sparse_values_types",
                            List.of(I64),
                            "dense_types",
                            List.of(DType.STRING),
                            "out_values_type",
                            I64,
                            "out_row_splits_type",
                            I64),
                    words,
                    numbers,
                    longs(0, 1, 3, 4),
                    longs(0, 2, 2, 4),
                    PLACES,
                    numbers,
                    SHAPE,
                    dense);
        }
        for (DType inside : both)
            sample(
                    named(
                            "SparseCross",
                            "hashed_output",
                            false,
                            "num_buckets",
                            0L,
                            "hash_key",
                            1L,
                            "out_type",
                            DType.STRING,
                            "internal_type",
                            inside,
                            "N",
                            1L,
                            "sparse_types",
                            List.of(inside),
                            "dense_types",
                            List.of(inside)),
                    PLACES,
                    inside == I64 ? numbers : words,
                    SHAPE,
                    inside == I64 ? counts : dense);
        sample(
                named("SparseCrossV2", "N", 1L, "sparse_types", List.of(I64), "dense_types", List.of(DType.STRING)),
                PLACES,
                numbers,
                SHAPE,
                dense,
                Tensor.scalar(" & "));
        sample(
                named(
                        "RaggedCross",
                        "Nsparse",
                        0L,
                        "input_order",
                        "R",
                        "hashed_output",
                        false,
                        "num_buckets",
                        0L,
                        "hash_key",
                        0L,
                        "ragged_values_types",
                        List.of(DType.STRING),
                        "ragged_splits_types",
                        List.of(I64),
                        "sparse_values_types",
                        List.of(),
                        "dense_types",
                        List.of(),
                        "out_values_type",
                        DType.STRING,
                        "out_row_splits_type",
                        I64),
                words,
                longs(0, 0, 3, 4));
    }

    private void serialised() {
        for (DType form : List.of(DType.STRING, DType.VARIANT)) {
            program("SerializeSparse", p -> {
                Node one = p.add(
                        named("SerializeSparse", "out_type", form),
                        p.constant(PLACES),
                        p.constant(floats(51, 4)),
                        p.constant(SHAPE));
                Node other = p.add(
                        named("SerializeSparse", "out_type", form),
                        p.constant(places(2, 0, 0)),
                        p.constant(floats(52, 1)),
                        p.constant(longs(1, 6)));
                Node both = p.add(named("Pack"), one.edge(0), other.edge(0));
                Node read = p.add(named("DeserializeSparse", "dtype", F32), both.edge(0));
                p.fetch(read.edge(0), read.edge(1), read.edge(2));
            });
            program("SerializeManySparse", p -> {
                Node many = p.add(
                        named("SerializeManySparse", "out_type", form),
                        p.constant(PLACES),
                        p.constant(floats(53, 4)),
                        p.constant(SHAPE));
                Node read = p.add(named("DeserializeSparse", "dtype", F32), many.edge(0));
                p.fetch(read.edge(0), read.edge(1), read.edge(2));
            });
        }
        program("DeserializeManySparse", p -> {
            Node many = p.add(
                    named("SerializeManySparse"), p.constant(PLACES), p.constant(ints(1, 2, 3, 4)), p.constant(SHAPE));
            Node read = p.add(named("DeserializeManySparse", "dtype", I32), many.edge(0));
            p.fetch(read.edge(0), read.edge(1), read.edge(2));
        });
    }

    private void kept() {
        for (DType dtype : List.of(F32, DType.STRING)) {
            Tensor four = dtype == F32 ? floats(54, 4) : Tensor.of(Shape.of(4), "a", "b", "c", "d");
            program("AddSparseToTensorsMap", p -> {
                Op add = named("AddSparseToTensorsMap", "shared_name", "map");
                Node one = p.add(add, p.constant(PLACES), p.constant(four), p.constant(SHAPE));
                Node handles = p.add(named("Pack"), one.edge(0), one.edge(0));
                Op take = named("TakeManySparseFromTensorsMap", "dtype", dtype, "shared_name", "map");
                Node first = p.add(take, p.constant(longs(0)));
                Node both = p.add(take, p.constant(longs(2, 1)));
                p.fetch(one.edge(0)).fetch(first.edge(0), first.edge(1), first.edge(2));
                p.fetch(one.edge(0)).fetch(handles.edge(0)).fetch(both.edge(0), both.edge(1), both.edge(2));
                p.fetch(first.edge(0)); // taken before
            });
            program("TakeManySparseFromTensorsMap", p -> {
                Op add = named("AddManySparseToTensorsMap", "shared_name", "many");
                Node many = p.add(add, p.constant(PLACES), p.constant(four), p.constant(SHAPE));
                Op take = named("TakeManySparseFromTensorsMap", "dtype", dtype, "shared_name", "many");
                Node taken = p.add(take, many.edge(0));
                p.fetch(taken.edge(0), taken.edge(1), taken.edge(2)).fetch(many.edge(0));
            });
        }
        program("AddManySparseToTensorsMap", p -> {
            Op add = named("AddManySparseToTensorsMap", "container", "c", "shared_name", "many");
            Node many = p.add(add, p.constant(PLACES), p.constant(floats(55, 4)), p.constant(SHAPE));
            Op take = named("TakeManySparseFromTensorsMap", "dtype", I32, "container", "c", "shared_name", "many");
            Node wrong = p.add(take, many.edge(0));
            p.fetch(many.edge(0)).fetch(wrong.edge(0));
        });
    }
}
