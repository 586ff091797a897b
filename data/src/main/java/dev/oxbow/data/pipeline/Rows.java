package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How elements become rows: all of one shape, or padded to a shape.
 *
 * @param padded for each component the shape of a row, where -1 is the largest of the batch; empty for the largest everywhere, null where
 *     all must be alike
 * @param padding for each component the value to pad with, a scalar; null for zeros and empty strings
 */
record Rows(List<Shape> padded, List<Tensor> padding) {
    static final Rows ALIKE = new Rows(null, null);

    boolean isPadded() {
        return padded != null;
    }

    /** Whether the shape of a row depends on all rows of a batch. */
    boolean needsAll() {
        return isPadded() && (padded.isEmpty() || !padded.stream().allMatch(Shape::isFullyKnown));
    }

    /** Rows {@code [from, to)} of these elements, in shapes that suit all of them. */
    List<Tensor> stack(List<?> elements, int from, int to) {
        List<List<Tensor>> samples = new ArrayList<>();
        for (Object e : elements) samples.add(tensors(e));
        int components = samples.getFirst().size();
        require(
                !isPadded() || padded.isEmpty() || padded.size() == components,
                INVALID_ARGUMENT,
                "padded batch: elements have %d tensors, shapes are for %d",
                components,
                isPadded() ? padded.size() : 0);
        List<Tensor> stacked = new ArrayList<>();
        for (int c = 0; c < components; c++) {
            List<Tensor> column = new ArrayList<>();
            for (List<Tensor> s : samples) {
                require(
                        s.size() == components,
                        INVALID_ARGUMENT,
                        "batch: elements have %d and %d tensors, must have the same number",
                        components,
                        s.size());
                column.add(s.get(c));
            }
            stacked.add(stack(column, c, from, to));
        }
        return stacked;
    }

    private static List<Tensor> tensors(Object e) {
        return switch (e) {
            case Sample s -> s.tensors();
            case Tensor t -> List.of(t);
            case null, default -> {
                require(
                        false,
                        INVALID_ARGUMENT,
                        "batch: elements must be samples or tensors, got %s; map them first",
                        e == null ? null : e.getClass().getName());
                yield null;
            }
        };
    }

    private Tensor stack(List<Tensor> column, int component, int from, int to) {
        DType dtype = column.getFirst().dtype();
        Shape row =
                isPadded() ? paddedShape(column, component) : column.getFirst().shape();
        for (Tensor t : column) {
            require(
                    !t.isClosed(),
                    FAILED_PRECONDITION,
                    "batch: component %d, %s, was closed with an element that had it before; give each a view of its own",
                    component,
                    t.describe());
            require(
                    t.dtype() == dtype && (isPadded() || t.shape().equals(row)),
                    INVALID_ARGUMENT,
                    "batch: component %d is %s%s in one element and %s%s in another; map them to one shape, or pad",
                    component,
                    dtype,
                    row,
                    t.dtype(),
                    t.shape());
        }
        Shape shape = Shape.of(to - from).concat(row);
        if (dtype.isObject()) return objects(column, component, from, to, shape, row);
        Tensor all = Tensor.allocate(dtype, shape);
        long width = row.size() * dtype.size();
        Tensor fill = padding == null ? null : padding.get(component);
        for (int i = from; i < to; i++) {
            Tensor t = column.get(i);
            long at = all.address() + (i - from) * width;
            if (t.shape().equals(row)) Memory.copy(t.address(), at, width);
            else pad(t, at, row, fill);
            Reference.reachabilityFence(t);
        }
        return all;
    }

    private Shape paddedShape(List<Tensor> column, int component) {
        Shape wanted = padded.isEmpty() ? anything(column.getFirst().shape().rank()) : padded.get(component);
        long[] dims = wanted.dims();
        for (Tensor t : column) {
            require(
                    t.shape().rank() == dims.length,
                    INVALID_ARGUMENT,
                    "padded batch: component %d has shape %s, wanted is rank %d",
                    component,
                    t.shape(),
                    dims.length);
            for (int d = 0; d < dims.length; d++) {
                long n = t.shape().dim(d);
                if (wanted.dim(d) < 0) dims[d] = Math.max(dims[d], n);
                else
                    require(
                            n <= dims[d],
                            INVALID_ARGUMENT,
                            "padded batch: component %d has shape %s, which is larger than %s",
                            component,
                            t.shape(),
                            wanted);
            }
        }
        return Shape.of(dims);
    }

    private static Shape anything(int rank) {
        long[] dims = new long[rank];
        Arrays.fill(dims, -1);
        return Shape.of(dims);
    }

    private static void pad(Tensor t, long at, Shape row, Tensor fill) {
        int width = t.dtype().size();
        long bytes = row.size() * width;
        if (fill == null) Memory.zero(at, bytes);
        else for (long b = 0; b < bytes; b += width) Memory.copy(fill.address(), at + b, width);
        if (t.size() == 0) return;
        int last = row.rank() - 1;
        long run = t.shape().dim(last) * width;
        for (long from = 0, n = t.size() / t.shape().dim(last); from < n; from++)
            Memory.copy(t.address() + from * run, at + t.shape().runIn(row, from) * width, run);
    }

    private Tensor objects(List<Tensor> column, int component, int from, int to, Shape shape, Shape row) {
        int width = Math.toIntExact(row.size());
        Object[] all = new Object[Math.toIntExact(shape.size())];
        Arrays.fill(all, padding == null ? new byte[0] : padding.get(component).objects()[0]);
        for (int i = from; i < to; i++) {
            Tensor t = column.get(i);
            if (t.size() == 0) continue;
            int run = Math.toIntExact(row.rank() == 0 ? 1 : t.shape().dim(row.rank() - 1));
            for (int r = 0; r < t.size() / run; r++) {
                int at = row.rank() == 0 ? 0 : Math.toIntExact(t.shape().runIn(row, r));
                System.arraycopy(t.objects(), r * run, all, (i - from) * width + at, run);
            }
        }
        return Tensor.ofObjects(column.getFirst().dtype(), shape, all);
    }
}
