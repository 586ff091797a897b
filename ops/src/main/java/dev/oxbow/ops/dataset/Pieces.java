package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Rows of tensors, and tensors as rows. */
final class Pieces {
    private Pieces() {}

    /** Row {@code i} of each tensor; the caller owns them. */
    static List<Tensor> rows(List<Tensor> all, long i) {
        List<Tensor> rows = new ArrayList<>();
        for (Tensor t : all) rows.add(row(t, i));
        return rows;
    }

    /** So many rows of each tensor from row {@code i} on; the caller owns them. */
    static List<Tensor> rows(List<Tensor> all, long i, long count) {
        List<Tensor> parts = new ArrayList<>();
        for (Tensor t : all) parts.add(t.viewRows(i, count));
        return parts;
    }

    /** Tensors of no row, whose rows would be of these types. */
    static List<Tensor> noRows(KernelContext c, List<TensorType> row) {
        List<Tensor> empty = new ArrayList<>();
        for (TensorType t : row) empty.add(c.temporary(t.dtype(), Shape.of(0).concat(t.shape())));
        return empty;
    }

    private static Tensor row(Tensor t, long i) {
        Tensor one = t.viewRows(i, 1),
                row = one.view(t.shape().slice(1, t.shape().rank()));
        one.release();
        return row;
    }

    /** Elements as rows of tensors, which the caller owns; the elements stay his, too. */
    static List<Tensor> stacked(KernelContext c, List<List<Tensor>> elements) {
        List<Tensor> all = new ArrayList<>();
        for (int k = 0; k < elements.getFirst().size(); k++) {
            List<Tensor> column = column(elements, k, elements.getFirst().size());
            Shape row = column.getFirst().shape();
            for (int i = 0; i < column.size(); i++)
                require(
                        column.get(i).shape().equals(row),
                        INVALID_ARGUMENT,
                        "Cannot batch tensors with different shapes in component %d. First element had shape %s and"
                                + " element %d had shape %s.",
                        k,
                        row,
                        i,
                        column.get(i).shape());
            all.add(padded(c, column, row, null));
        }
        return all;
    }

    /** Component {@code k} of elements that must all have so many, of one type each. */
    static List<Tensor> column(List<List<Tensor>> elements, int k, int components) {
        List<Tensor> column = new ArrayList<>();
        for (List<Tensor> e : elements) {
            require(
                    e.size() == components,
                    INVALID_ARGUMENT,
                    "Cannot batch elements of %d and %d components",
                    components,
                    e.size());
            column.add(e.get(k));
            require(
                    e.get(k).dtype() == column.getFirst().dtype(),
                    INVALID_ARGUMENT,
                    "Cannot batch tensors with different types in component %d: %s and %s",
                    k,
                    column.getFirst().dtype(),
                    e.get(k).dtype());
        }
        return column;
    }

    /** Tensors as rows of a shape, into the corner of which each is copied; the rest has the value of {@code padding}. */
    static Tensor padded(KernelContext c, List<Tensor> column, Shape row, Tensor padding) {
        Shape shape = Shape.of(column.size()).concat(row);
        Tensor all = c.temporary(column.getFirst().dtype(), shape);
        long width = row.size();
        for (int i = 0; i < column.size(); i++) {
            Tensor t = column.get(i);
            if (!t.shape().equals(row)) for (long j = 0; j < width; j++) copy(padding, 0, all, i * width + j, 1);
            if (t.size() == 0) continue;
            long run = row.rank() == 0 ? 1 : t.shape().dim(row.rank() - 1);
            for (long r = 0; r < t.size() / run; r++)
                copy(t, r * run, all, i * width + t.shape().runIn(row, r), run);
        }
        return all;
    }

    private static void copy(Tensor from, long i, Tensor to, long j, long count) {
        if (!from.dtype().isObject()) {
            int width = from.dtype().size();
            Memory.copy(from.address() + i * width, to.address() + j * width, count * width);
            return;
        }
        for (int k = 0; k < count; k++) {
            Object o = from.objects()[(int) i + k];
            if (o instanceof Counted c) c.retain();
            to.objects()[(int) j + k] = o;
        }
    }

    /** Frees elements, and empties the list of them. */
    static void release(List<List<Tensor>> elements) {
        for (List<Tensor> e : elements) e.forEach(Tensor::release);
        elements.clear();
    }
}
