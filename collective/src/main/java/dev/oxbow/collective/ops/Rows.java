package dev.oxbow.collective.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Tensors that are cut along the first dimension, a piece for each rank. */
final class Rows {
    private Rows() {}

    /** The type of a tensor with as many rows as come out at run time. */
    static TensorType any(InferenceContext c) {
        Shape s = c.shape(0);
        require(s.rank() != 0, INVALID_ARGUMENT, "needs a tensor with a first dimension, got %s", c.input(0));
        return c.input(0).withShape(s.isRankKnown() ? s.withDim(0, -1) : s);
    }

    /** The type of one number for each rank. */
    static TensorType counts() {
        return new TensorType(DType.I64, Shape.of(-1));
    }

    static void checkCounts(InferenceContext c, int input) {
        int rank = c.shape(input).rank();
        require(rank < 0 || rank == 1, INVALID_ARGUMENT, "rows must be a vector, got %s", c.input(input));
    }

    /** Elements in a row. */
    static long size(Shape s) {
        return s.size(1, s.rank());
    }

    /** Numbers of rows as numbers of elements. */
    static long[] elements(long[] rows, Shape s) {
        long[] counts = rows.clone();
        for (int i = 0; i < counts.length; i++) counts[i] *= size(s);
        return counts;
    }

    static long total(long[] rows) {
        return Arrays.stream(rows).sum();
    }

    /** A vector of i64 as output {@code i}. */
    static void give(KernelContext c, int i, long[] rows) {
        Tensor t = c.allocate(i, Shape.of(rows.length));
        for (int k = 0; k < rows.length; k++) t.setLong(k, rows[k]);
    }

    /** Input {@code i} as output {@code i}, to be changed in place: the same memory when nobody else reads it. */
    static Tensor inPlace(KernelContext c, int i) {
        Tensor x = c.input(i), y = over(c, i);
        if (y != x) Memory.copy(x.address(), y.address(), x.byteSize());
        return y;
    }

    /** Output {@code i}, to be filled: the memory of input {@code i} when nobody else reads it. */
    static Tensor over(KernelContext c, int i) {
        if (!c.mayOverwrite(i)) return c.allocate(i, c.input(i).shape());
        c.forward(i, i);
        return c.input(i);
    }

    /** Input {@code i} as memory to be changed, which the caller owns. */
    static Tensor scratch(KernelContext c, int i) {
        Tensor x = c.input(i);
        if (c.mayOverwrite(i)) return x.retain();
        Tensor y = c.temporary(x.dtype(), x.shape());
        Memory.copy(x.address(), y.address(), x.byteSize());
        return y;
    }
}
