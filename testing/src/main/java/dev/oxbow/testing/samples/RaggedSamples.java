package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.SampleFamily.doubles;
import static dev.oxbow.testing.samples.SampleFamily.floats;
import static dev.oxbow.testing.samples.SampleFamily.named;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Samples of ragged tensors: as dense ones, as variants, with rows filled up, and counts of their values. */
final class RaggedSamples {
    private static final Tensor OUTER = longs(0, 2, 2, 3);
    private static final Tensor INNER = longs(0, 1, 4, 5);

    private final SparseSamples to;

    RaggedSamples(SparseSamples to) {
        this.to = to;
    }

    void define() {
        dense();
        variants();
        rows();
        counts();
    }

    private static Tensor longs(long... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private void dense(List<String> types, Tensor shape, Tensor values, Tensor filler, Tensor... partitions) {
        Tensor[] in = new Tensor[3 + partitions.length];
        in[0] = shape;
        in[1] = values;
        in[2] = filler;
        System.arraycopy(partitions, 0, in, 3, partitions.length);
        to.samplePart(
                named("RaggedTensorToTensor", "row_partition_types", types),
                values.dtype() == DType.F64 ? new int[] {1, 2} : new int[0],
                new int[] {0},
                in);
    }

    private void dense() {
        List<String> splits = List.of("ROW_SPLITS"), both = List.of("ROW_SPLITS", "ROW_SPLITS");
        List<String> ids = List.of("FIRST_DIM_SIZE", "VALUE_ROWIDS");
        Tensor none = Tensor.scalar(-1L), zero = Tensor.scalar(0.5);
        for (Tensor shape : List.of(none, longs(-1, -1), longs(4, 3), longs(2, 1), longs(-1, 0), longs(3, 2)))
            dense(splits, shape, doubles(61, 3), zero, OUTER);
        for (Tensor shape : List.of(none, longs(-1, -1, -1), longs(3, 2, 2)))
            dense(both, shape, doubles(62, 5), zero, OUTER, INNER);
        dense(both, longs(-1, -1, -1, 2), doubles(63, 5, 2), doubles(64, 2), OUTER, INNER);
        dense(both, none, doubles(65, 5, 2), doubles(66, 1), OUTER, INNER);
        dense(ids, longs(-1, -1), doubles(67, 4), zero, Tensor.scalar(5L), longs(0, 0, 2, 4));
        dense(
                List.of("FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"),
                none,
                doubles(68, 3),
                zero,
                Tensor.scalar(2L),
                longs(0, 1, 1),
                longs(0, 0, 2));
        dense(splits, none, Tensor.of(Shape.of(3), "a", "b", "c"), Tensor.scalar("-"), OUTER);
        dense(splits, none, floats(69, 0), Tensor.scalar(1f), longs(0, 0, 0));
        dense(ids, none, floats(71, 2), Tensor.scalar(1f), Tensor.scalar(2L), longs(0, 2));
    }

    private void variants() {
        for (boolean batched : new boolean[] {false, true}) {
            for (String op : List.of("RaggedTensorToVariant", "RaggedTensorFromVariant"))
                to.program(op, p -> {
                    Edge values =
                            p.add(new Placeholder(DType.F64, Shape.of(5, 2))).edge(0);
                    Edge packed = p.add(
                                    named("RaggedTensorToVariant", "RAGGED_RANK", 2L, "batched_input", batched),
                                    p.constant(OUTER),
                                    p.constant(INNER),
                                    values)
                            .edge(0);
                    Node open = p.add(
                            named(
                                    "RaggedTensorFromVariant",
                                    "input_ragged_rank",
                                    batched ? 1L : 2L,
                                    "output_ragged_rank",
                                    2L,
                                    "Tvalues",
                                    DType.F64,
                                    "Tsplits",
                                    DType.I64),
                            packed);
                    p.run(Map.of(values.name(), doubles(72, 5, 2)), List.of(open.edge(0), open.edge(1), open.edge(2)));
                    p.gradient(List.of(values), List.of(open.edge(2)));
                });
            to.program("RaggedTensorFromVariant", p -> {
                Edge packed = p.add(
                                named("RaggedTensorToVariant", "RAGGED_RANK", 0L, "batched_input", batched),
                                p.constant(floats(73, 3, 2)))
                        .edge(0);
                Node open = p.add(
                        named(
                                "RaggedTensorFromVariant",
                                "input_ragged_rank",
                                -1L,
                                "output_ragged_rank",
                                batched ? 1L : 0L,
                                "Tvalues",
                                DType.F32,
                                "Tsplits",
                                DType.I64),
                        packed);
                p.fetch(open.edge(batched ? 1 : 0));
                if (batched) p.fetch(open.edge(0));
            });
        }
        to.program("RaggedTensorToVariantGradient", p -> {
            Edge packed = p.add(
                            named("RaggedTensorToVariant", "RAGGED_RANK", 1L, "batched_input", true),
                            p.constant(OUTER),
                            p.constant(floats(74, 3)))
                    .edge(0);
            p.fetch(p.add(
                            named("RaggedTensorToVariantGradient", "Tvalues", DType.F32),
                            packed,
                            p.constant(OUTER),
                            p.constant(Tensor.of(Shape.of(1), 3)))
                    .edge(0));
        });
    }

    private void rows() {
        for (Tensor ids : List.of(longs(0, 0, 2, 4), longs(1, 1, 1, 1), longs(0, 1, 2, 3)))
            to.samplePart(
                    named("RaggedFillEmptyRows"),
                    new int[] {1, 3},
                    new int[] {1},
                    ids,
                    doubles(75, 4),
                    Tensor.scalar(5L),
                    Tensor.scalar(-1d));
        to.sample(
                named("RaggedFillEmptyRows"),
                longs(0, 2),
                Tensor.of(Shape.of(2), "a", "b"),
                Tensor.scalar(3L),
                Tensor.scalar("-"));
        to.sampleWithoutGradient(
                named("RaggedFillEmptyRows"), longs(0, 3), floats(76, 2), Tensor.scalar(3L), Tensor.scalar(1f));
        to.sampleWithoutGradient(named("RaggedFillEmptyRowsGrad"), longs(0, 2, 3), floats(77, 5));
    }

    private void counts() {
        Tensor numbers = longs(1, 3, 1, 0, 7, 3, 3, 2), none = Tensor.of(Shape.of(0), new long[0]);
        to.sample(named("DenseCountSparseOutput", "binary_output", false), longs(1, -1), none);
        for (boolean binary : new boolean[] {false, true}) {
            for (long[] lengths : new long[][] {{-1, -1}, {9, -1}, {-1, 4}, {2, 3}}) {
                Object[] how = {"minlength", lengths[0], "maxlength", lengths[1], "binary_output", binary};
                to.sample(named("DenseCountSparseOutput", how), numbers, none);
                to.sample(named("DenseCountSparseOutput", how), numbers, floats(78, 8));
                to.sample(
                        named("DenseCountSparseOutput", how),
                        Tensor.of(Shape.of(2, 4), 1, 3, 1, 0, 7, 3, 3, 2),
                        doubles(79, 2, 4));
                to.sample(
                        named("SparseCountSparseOutput", how),
                        Tensor.of(Shape.of(4, 2), 0L, 0L, 0L, 3L, 2L, 0L, 2L, 1L),
                        longs(5, 5, 1, 5),
                        longs(3, 4),
                        none);
                to.sample(named("RaggedCountSparseOutput", how), OUTER, longs(4, 4, 2), none);
                to.sample(named("RaggedCountSparseOutput", how), OUTER, longs(4, 4, 2), floats(80, 3));
            }
        }
    }
}
