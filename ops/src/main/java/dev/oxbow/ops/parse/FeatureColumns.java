package dev.oxbow.ops.parse;

import static dev.oxbow.ops.parse.ExampleErrors.NO_STEP;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What features become: sparse tensors, dense ones of a shape, and ragged ones; for a batch of examples, or for a single one,
 * whose tensors lack the dimension of the batch.
 */
final class FeatureColumns {
    private FeatureColumns() {}

    static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    static List<byte[]> keys(List<String> all) {
        return all.stream().map(s -> s.getBytes(StandardCharsets.UTF_8)).toList();
    }

    /** The strings of a tensor. */
    static List<byte[]> keys(Tensor all) {
        List<byte[]> keys = new ArrayList<>();
        for (Object o : all.objects()) keys.add((byte[]) o);
        return keys;
    }

    /** The strings of so many inputs with one each. */
    static List<byte[]> keys(KernelContext c, int from, int count) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = from; i < from + count; i++) keys.add((byte[]) c.input(i).objects()[0]);
        return keys;
    }

    /** Types of indices, values and shapes of sparse outputs of a rank. */
    static List<TensorType> sparseTypes(List<DType> types, int rank) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) all.add(new TensorType(DType.I64, Shape.of(-1, rank)));
        for (DType t : types) all.add(new TensorType(t, Shape.of(-1)));
        for (int i = 0; i < types.size(); i++) all.add(new TensorType(DType.I64, Shape.of(rank)));
        return all;
    }

    private static boolean isVariable(Shape s) {
        return s.rank() > 0 && s.dim(0) < 0;
    }

    /**
     * Writes sparse outputs: indices from output {@code at}, values from {@code at + stride}, shapes from {@code at + 2 stride},
     * where stride is the number of sparse features.
     */
    static void sparse(KernelContext c, int at, List<byte[]> keys, List<DType> types, Examples<Features> rows) {
        boolean single = rows.single();
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k), keys.get(k), false, rows.errors());
            int[] counts = new int[rows.count()];
            int widest = 0;
            for (int r = 0; r < counts.length; r++) {
                counts[r] = values.add(rows.get(r).get(keys.get(k)), r, NO_STEP);
                widest = Math.max(widest, counts[r]);
            }
            int rank = single ? 1 : 2;
            Tensor indices = c.allocate(at + k, Shape.of(values.count(), rank));
            long i = 0;
            for (int r = 0; r < counts.length; r++)
                for (int j = 0; j < counts[r]; j++) {
                    if (!single) indices.setLong(i++, r);
                    indices.setLong(i++, j);
                }
            values.write(c, at + keys.size() + k, Shape.of(values.count()));
            Tensor shape = c.output(at + 2 * keys.size() + k);
            if (!single) shape.setLong(0, rows.count());
            shape.setLong(rank - 1, widest);
        }
    }

    /** Writes dense outputs from output {@code at} on. Defaults are those of inputs from {@code defaults} on. */
    static void dense(
            KernelContext c, int at, List<byte[]> keys, List<Shape> shapes, int defaults, Examples<Features> rows) {
        for (int k = 0; k < keys.size(); k++) {
            Shape shape = shapes.get(k);
            Tensor fallback = c.input(defaults + k);
            if (isVariable(shape)) {
                ExampleErrors.requirePadding(k, fallback, shape);
                variable(c, at + k, keys.get(k), shape, fallback, rows);
            } else {
                rows.errors().requireDefault(k, fallback, shape);
                fixed(c, at + k, keys.get(k), shape, fallback, rows);
            }
        }
    }

    private static void fixed(
            KernelContext c, int at, byte[] key, Shape shape, Tensor fallback, Examples<Features> rows) {
        ExampleErrors errors = rows.errors();
        FeatureValues values = new FeatureValues(fallback.dtype(), key, true, errors);
        for (int r = 0; r < rows.count(); r++) {
            Feature f = rows.get(r).get(key);
            boolean missing = f == null || f.kind() == Feature.Kind.NONE && !errors.countsEmpty();
            if (missing && (fallback.size() > 0 || shape.size() == 0)) {
                values.add(fallback);
                continue;
            }
            int n = values.add(f, r, NO_STEP);
            if (!missing && n == shape.size()) continue;
            if (errors.comparesLargest()) requireLargest(key, shape, fallback.dtype(), rows);
            throw missing
                    ? errors.missing(r, values.key(), fallback.dtype())
                    : errors.size(r, values.key(), NO_STEP, fallback.dtype(), n, shape);
        }
        values.write(c, at, rows.withBatch(shape));
    }

    /** The row with the most values has as many as the shape. */
    private static void requireLargest(byte[] key, Shape shape, DType type, Examples<Features> rows) {
        FeatureValues values = new FeatureValues(type, key, true, rows.errors());
        int largest = 0;
        for (int r = 0; r < rows.count(); r++)
            largest = Math.max(largest, values.add(rows.get(r).get(key), r, NO_STEP));
        if (largest != shape.size()) throw ExampleErrors.largest(values.key(), shape, largest);
    }

    private static void variable(
            KernelContext c, int at, byte[] key, Shape shape, Tensor fallback, Examples<Features> rows) {
        Shape element = shape.slice(1, shape.rank());
        int stride = Math.toIntExact(element.size()), longest = 0;
        int[] counts = new int[rows.count()];
        for (int r = 0; r < counts.length; r++) {
            FeatureValues own = new FeatureValues(fallback.dtype(), key, true, rows.errors());
            counts[r] = own.add(rows.get(r).get(key), r, NO_STEP);
            if (stride == 0 || counts[r] % stride != 0)
                throw rows.errors().stride(r, own.key(), fallback.dtype(), counts[r], shape, stride);
            longest = Math.max(longest, counts[r]);
        }
        FeatureValues all = new FeatureValues(fallback.dtype(), key, true, rows.errors());
        for (int r = 0; r < counts.length; r++) {
            all.add(rows.get(r).get(key), r, NO_STEP);
            all.pad(fallback, longest - counts[r]);
        }
        all.write(c, at, rows.withBatch(Shape.of(longest / stride).concat(element)));
    }

    /** Writes ragged outputs: values from output {@code at} on, splits behind them, or {@code none} in their place. */
    static void ragged(
            KernelContext c, int at, List<byte[]> keys, List<DType> types, Examples<Features> rows, Shape none) {
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k), keys.get(k), false, rows.errors());
            int[] ends = new int[rows.count()];
            for (int r = 0; r < ends.length; r++) {
                values.add(rows.get(r).get(keys.get(k)), r, NO_STEP);
                ends[r] = values.count();
            }
            values.write(c, at + k, Shape.of(values.count()));
            splits(c, at + keys.size() + k, ends, none);
        }
    }

    /** Where rows end; zeros of a shape where that is not null, since a single example has no rows. */
    static void splits(KernelContext c, int output, int[] ends, Shape none) {
        Shape shape = none != null ? none : Shape.of(ends.length + 1);
        Tensor splits = c.isAllocated(output) ? c.output(output) : c.allocate(output, shape);
        for (int i = 0; i < splits.size(); i++) splits.setLong(i, i == 0 || none != null ? 0 : ends[i - 1]);
    }
}
