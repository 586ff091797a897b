package dev.oxbow.ops.parse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

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
import java.util.function.Function;

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

    /** All examples of a vector or scalar of them. */
    static <T> List<T> parsed(Tensor serialized, Function<byte[], T> parser) {
        List<T> rows = new ArrayList<>();
        for (Object o : serialized.objects()) rows.add(parser.apply((byte[]) o));
        return rows;
    }

    /** Types of indices, values and shapes of sparse outputs of a rank. */
    static List<TensorType> sparseTypes(List<DType> types, int rank) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) all.add(new TensorType(DType.I64, Shape.of(-1, rank)));
        for (DType t : types) all.add(new TensorType(t, Shape.of(-1)));
        for (int i = 0; i < types.size(); i++) all.add(new TensorType(DType.I64, Shape.of(rank)));
        return all;
    }

    static void checkShapes(List<Shape> shapes, int count) {
        require(
                shapes.size() == count,
                INVALID_ARGUMENT,
                "len(dense_keys) != len(dense_shapes): %d and %d",
                count,
                shapes.size());
        for (Shape s : shapes)
            require(
                    s.isRankKnown() && (s.rank() == 0 || s.slice(1, s.rank()).isFullyKnown()),
                    INVALID_ARGUMENT,
                    "dense_shapes must be known except for the first dimension, got %s",
                    s);
    }

    private static boolean isVariable(Shape s) {
        return s.rank() > 0 && s.dim(0) < 0;
    }

    /**
     * Writes sparse outputs: indices from output {@code at}, values from {@code at + stride}, shapes from {@code at + 2 stride},
     * where stride is the number of sparse features.
     */
    static void sparse(
            KernelContext c, int at, List<byte[]> keys, List<DType> types, List<Features> rows, boolean single) {
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k));
            int[] counts = new int[rows.size()];
            int widest = 0;
            for (int r = 0; r < counts.length; r++) {
                counts[r] = values.add(rows.get(r).get(keys.get(k)), keys.get(k));
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
            if (!single) shape.setLong(0, rows.size());
            shape.setLong(rank - 1, widest);
        }
    }

    /** Writes dense outputs from output {@code at} on. Defaults are those of inputs from {@code defaults} on. */
    static void dense(
            KernelContext c,
            int at,
            List<byte[]> keys,
            List<Shape> shapes,
            int defaults,
            List<Features> rows,
            boolean single) {
        for (int k = 0; k < keys.size(); k++) {
            Tensor fallback = c.input(defaults + k);
            if (isVariable(shapes.get(k))) variable(c, at + k, keys.get(k), shapes.get(k), fallback, rows, single);
            else fixed(c, at + k, keys.get(k), shapes.get(k), fallback, rows, single);
        }
    }

    private static Shape withBatch(Shape s, int rows, boolean single) {
        return single ? s : Shape.of(rows).concat(s);
    }

    private static void fixed(
            KernelContext c, int at, byte[] key, Shape shape, Tensor fallback, List<Features> rows, boolean single) {
        require(
                fallback.size() == 0 || fallback.shape().equals(shape),
                INVALID_ARGUMENT,
                "dense_defaults of key %s must have shape %s, got %s",
                text(key),
                shape,
                fallback.shape());
        FeatureValues values = new FeatureValues(fallback.dtype());
        for (Features row : rows) {
            Feature f = row.get(key);
            if (f == null || f.kind() == Feature.Kind.NONE) {
                require(
                        fallback.size() > 0 || shape.size() == 0,
                        INVALID_ARGUMENT,
                        "Feature: %s (data type: %s) is required but could not be found.",
                        text(key),
                        fallback.dtype());
                values.add(fallback);
                continue;
            }
            int n = values.add(f, key);
            require(
                    n == shape.size(),
                    INVALID_ARGUMENT,
                    "Key: %s.  Number of values != expected.  Values size: %d but output shape: %s",
                    text(key),
                    n,
                    shape);
        }
        values.write(c, at, withBatch(shape, rows.size(), single));
    }

    private static void variable(
            KernelContext c, int at, byte[] key, Shape shape, Tensor fallback, List<Features> rows, boolean single) {
        Shape element = shape.slice(1, shape.rank());
        int stride = Math.toIntExact(element.size());
        require(
                fallback.size() == 1 || single,
                INVALID_ARGUMENT,
                "dense_defaults of key %s, whose shape is %s, must be a scalar to pad with, got %s",
                text(key),
                shape,
                fallback.shape());
        int longest = 0;
        List<FeatureValues> each = new ArrayList<>();
        for (Features row : rows) {
            FeatureValues own = new FeatureValues(fallback.dtype());
            int n = own.add(row.get(key), key);
            require(
                    stride > 0 && n % stride == 0,
                    INVALID_ARGUMENT,
                    "Key: %s.  Number of values %d is not a multiple of stride length %d",
                    text(key),
                    n,
                    stride);
            each.add(own);
            longest = Math.max(longest, n);
        }
        FeatureValues all = new FeatureValues(fallback.dtype());
        for (int r = 0; r < each.size(); r++) {
            all.add(rows.get(r).get(key), key);
            all.pad(
                    fallback.size() == 1 ? fallback : null,
                    longest - each.get(r).count());
        }
        all.write(c, at, withBatch(Shape.of(longest / stride).concat(element), rows.size(), single));
    }

    /** Writes ragged outputs: values from output {@code at} on, splits behind them, or {@code none} in their place. */
    static void ragged(KernelContext c, int at, List<byte[]> keys, List<DType> types, List<Features> rows, Shape none) {
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k));
            int[] ends = new int[rows.size()];
            for (int r = 0; r < ends.length; r++) {
                values.add(rows.get(r).get(keys.get(k)), keys.get(k));
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
