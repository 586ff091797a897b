package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Puts the rows of a tensor at given positions of a list. */
final class ListScatter {
    private ListScatter() {}

    /** A new list from (rows, positions, element shape) of {@code n} items, or as many as the positions ask for. */
    static TensorList scatter(KernelContext c, int n) {
        Shape wanted = Lists.shape(c.input(2));
        long[] positions = Arguments.longs(c.input(1));
        requireRows(c.input(0), positions, wanted);
        require(n >= -1, INVALID_ARGUMENT, "TensorListScatter expects num_elements >= -1, found: %d", n);
        long size = n;
        for (long p : positions) {
            require(p >= 0, INVALID_ARGUMENT, "Indices in TensorListScatter must all be non-negative.");
            if (n < 0) size = Math.max(size, p + 1);
            else
                require(
                        p < n,
                        INVALID_ARGUMENT,
                        "TensorListScatter: Trying to scatter at index %d in list with size %d",
                        p,
                        n);
        }
        Tensor[] items = Counts.array(Math.max(0, size), Tensor[]::new);
        put(c, 0, positions, items);
        return TensorList.of(c.input(0).dtype(), wanted, -1, items);
    }

    /** The list of (list, rows, positions) with the rows at their places; it grows as far as the positions ask. */
    static TensorList into(KernelContext c, TensorList l) {
        long[] positions = Arguments.longs(c.input(2));
        requireRows(c.input(1), positions, l.elementShape());
        long size = l.size();
        for (long p : positions) {
            require(p >= 0, INVALID_ARGUMENT, "Indices in TensorListScatter must all be non-negative.");
            size = Math.max(size, p + 1);
        }
        Tensor[] items = l.items(size);
        put(c, 1, positions, items);
        return TensorList.of(l.dtype(), l.elementShape(), l.limit(), items);
    }

    private static void put(KernelContext c, int rows, long[] positions, Tensor[] items) {
        Tensor all = c.keep(rows);
        for (int i = 0; i < positions.length; i++) {
            int at = (int) positions[i];
            if (items[at] != null) items[at].release();
            items[at] = Lists.row(all, i);
        }
        all.release();
    }

    private static void requireRows(Tensor x, long[] positions, Shape element) {
        require(
                x.shape().rank() >= 1,
                INVALID_ARGUMENT,
                "Tensor must be at least a vector, but saw shape: %s",
                x.shape());
        require(
                x.shape().dim(0) == positions.length,
                INVALID_ARGUMENT,
                "Invalid number of rows in input tensor. Expected: %d Actual: %d",
                positions.length,
                x.shape().dim(0));
        Shape row = x.shape().slice(1, x.shape().rank());
        require(
                element.isCompatibleWith(row),
                INVALID_ARGUMENT,
                "Specified a list with shape %s from a tensor with shape %s",
                element,
                row);
    }
}
