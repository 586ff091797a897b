package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The entries of a sparse tensor: one row of coordinates each, where its value is, and the dense shape. */
record Coordinates(long[][] rows, Tensor values, long[] shape) {

    /** The sparse tensor of inputs indices, values and shape; {@code values} may be null. */
    static Coordinates of(Tensor indices, Tensor values, Tensor shape) {
        long[] dims = Arguments.longs(shape);
        require(
                indices.shape().rank() == 2
                        && shape.shape().rank() == 1
                        && indices.shape().dim(1) == dims.length
                        && (values == null
                                || values.shape().rank() == 1
                                        && values.size() == indices.shape().dim(0)),
                INVALID_ARGUMENT,
                "a sparse tensor needs indices [n, rank], values [n] and shape [rank], got %s, %s and %s",
                indices.shape(),
                values == null ? "none" : values.shape(),
                shape.shape());
        for (long d : dims)
            require(
                    d >= 0,
                    INVALID_ARGUMENT,
                    "the shape of a sparse tensor must not be negative, got %s",
                    Arrays.toString(dims));
        return new Coordinates(rows(indices), values, dims);
    }

    static long[][] rows(Tensor indices) {
        int depth = Counts.toInt(indices.shape().dim(1)),
                n = Counts.objects(indices.shape().dim(0), 24 + 8 * Math.min(depth, 1 << 20));
        long[][] rows = new long[n][depth];
        for (int i = 0; i < n; i++) for (int d = 0; d < depth; d++) rows[i][d] = indices.getLong((long) i * depth + d);
        return rows;
    }

    int count() {
        return rows.length;
    }

    int rank() {
        return shape.length;
    }

    /** Checks that every coordinate lies inside of the shape. */
    Coordinates inside() {
        for (int i = 0; i < rows.length; i++)
            for (int d = 0; d < shape.length; d++)
                require(
                        rows[i][d] >= 0 && rows[i][d] < shape[d],
                        INVALID_ARGUMENT,
                        "indices[%d] = %s is out of bounds: need 0 <= index < %s",
                        i,
                        Arrays.toString(rows[i]),
                        Arrays.toString(shape));
        return this;
    }

    /** Checks that entries are in row-major order, each once. */
    Coordinates ordered() {
        inside();
        for (int i = 1; i < rows.length; i++) {
            int order = Arrays.compare(rows[i - 1], rows[i]);
            require(order != 0, INVALID_ARGUMENT, "indices[%d] = %s is repeated", i, Arrays.toString(rows[i]));
            require(
                    order < 0,
                    INVALID_ARGUMENT,
                    "indices[%d] = %s is out of order. Many sparse ops require sorted indices.",
                    i,
                    Arrays.toString(rows[i]));
        }
        return this;
    }

    /** The positions of the entries in row-major order. */
    int[] sorted() {
        return IntStream.range(0, rows.length)
                .boxed()
                .sorted((i, j) -> Arrays.compare(rows[i], rows[j]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Gives output {@code i} the coordinates as [n, rank]. */
    static void emit(KernelContext c, int i, List<long[]> rows, int rank) {
        Tensor t = c.allocate(i, Shape.of(rows.size(), rank));
        for (int k = 0; k < rows.size(); k++)
            for (int d = 0; d < rank; d++) t.setLong((long) k * rank + d, rows.get(k)[d]);
    }

    /** Gives output {@code i} the values at these positions. */
    static void pick(KernelContext c, int i, Tensor values, int[] positions) {
        Tensor y = c.allocate(i, Shape.of(positions.length));
        long[] one = {1};
        for (int k = 0; k < positions.length; k++)
            Strided.copy(values, positions[k], one, y, k, one, one, Parallel.SERIAL);
    }

    /** Gives output {@code i} a vector of numbers. */
    static void vector(KernelContext c, int i, long... elements) {
        Tensor t = c.isAllocated(i) ? c.output(i) : c.allocate(i, Shape.of(elements.length));
        for (int d = 0; d < elements.length; d++) t.setLong(d, elements[d]);
    }

    /** Types of indices, values and shape, with what is known of the rank. */
    static List<TensorType> types(DType values, long rank) {
        return List.of(
                new TensorType(DType.I64, Shape.of(-1, rank)),
                new TensorType(values, Shape.of(-1)),
                new TensorType(DType.I64, Shape.of(rank)));
    }

    /** The rank that the shape input {@code i} tells; -1 when it is not known. */
    static long rank(InferenceContext c, int i) {
        Arguments.rank("shape", c.shape(i), 1);
        return c.shape(i).rank() == 1 ? c.shape(i).dim(0) : -1;
    }
}
