package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Variants;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Joins the items of a list along their first axis, and cuts a tensor into such a list. */
final class ListConcat {
    private ListConcat() {}

    /** Outputs 0 and 1: the joined items, and their lengths; {@code leading} are lengths of items that are not set. */
    static void concat(KernelContext c, TensorList l, Shape wanted, long[] leading) {
        Shape rest = merge(rest(l.elementShape()), rest(wanted));
        long unset = Math.max(first(l.elementShape()), first(wanted));
        Tensor[] items = Counts.array(l.size(), Tensor[]::new);
        List<Tensor> zeros = new ArrayList<>();
        for (int i = 0; i < l.size(); i++) {
            Tensor t = l.item(i);
            if (t == null) continue;
            require(
                    t.shape().rank() >= 1,
                    INVALID_ARGUMENT,
                    "Concat saw a scalar shape at index %d but requires at least vectors.",
                    i);
            Shape merged = rest.merge(rest(t.shape()));
            Lists.requireEqual(merged != null, rest, rest(t.shape()), i);
            rest = merged;
            unset = unset == -1 || unset == t.shape().dim(0) ? t.shape().dim(0) : -2;
        }
        require(
                rest.isFullyKnown(),
                INVALID_ARGUMENT,
                l.size() == 0
                        ? "All except the first dimension must be fully defined when concating an empty tensor list."
                                + " element_shape: %s"
                        : "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim_ is"
                                + " not fully defined: %s",
                wanted);
        long[] lengths = Counts.array(l.size(), long[]::new);
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            Tensor t = l.item(i);
            if (t == null) {
                long n = i < leading.length ? leading[i] : unset;
                require(
                        n >= 0,
                        INVALID_ARGUMENT,
                        "List contains uninitialized tensor at index %d but leading_dims has only %d elements.",
                        i,
                        leading.length);
                if (zeros.isEmpty() || zeros.getLast().shape().dim(0) != n)
                    zeros.add(Variants.zeros(l.dtype(), Shape.of(n).concat(rest), c));
                t = zeros.getLast();
            }
            items[i] = t;
            lengths[i] = t.shape().dim(0);
            total += lengths[i];
        }
        Concat.join(Arrays.asList(items), 0, c.allocate(0, Shape.of(total).concat(rest)), c.parallel());
        Tensor y = c.allocate(1, Shape.of(lengths.length));
        for (int i = 0; i < lengths.length; i++) y.setLong(i, lengths[i]);
        zeros.forEach(Tensor::release);
    }

    /** The list of (tensor, element shape, lengths). */
    static TensorList split(KernelContext c) {
        Tensor x = c.input(0);
        Shape wanted = Lists.shape(c.input(1));
        long[] lengths = Arguments.longs(c.input(2));
        require(
                x.shape().rank() >= 1,
                INVALID_ARGUMENT,
                "Tensor must be at least a vector, but saw shape: %s",
                x.shape());
        require(
                c.input(2).shape().rank() == 1,
                INVALID_ARGUMENT,
                "Expected lengths to be a vector, received shape: %s",
                c.input(2).shape());
        require(
                wanted.rank() != 0,
                INVALID_ARGUMENT,
                "TensorListSplit requires element_shape to be at least of rank 1, but saw: %s",
                wanted);
        require(
                rest(wanted).isCompatibleWith(rest(x.shape())),
                INVALID_ARGUMENT,
                "tensor shape %s is not compatible with element_shape %s",
                x.shape(),
                wanted);
        long total = 0;
        for (long n : lengths) {
            require(
                    n >= 0 && (wanted.rank() < 1 || wanted.dim(0) < 0 || wanted.dim(0) == n),
                    INVALID_ARGUMENT,
                    "Invalid value in lengths: %d for element_shape %s",
                    n,
                    wanted);
            require(
                    n <= x.shape().dim(0) - total,
                    INVALID_ARGUMENT,
                    "Attempting to slice [%d, %d] from tensor with length %d",
                    total,
                    n,
                    x.shape().dim(0));
            total += n;
        }
        require(
                total == x.shape().dim(0),
                INVALID_ARGUMENT,
                "Unused values in tensor. Length of tensor: %2$d Values used: %1$d",
                total,
                x.shape().dim(0));
        Tensor all = c.keep(0);
        Tensor[] items = new Tensor[lengths.length];
        long at = 0;
        for (int i = 0; i < items.length; i++) {
            items[i] = all.viewRows(at, lengths[i]);
            at += lengths[i];
        }
        all.release();
        return TensorList.of(x.dtype(), wanted, -1, items);
    }

    private static long first(Shape s) {
        return s.rank() > 0 ? s.dim(0) : -1;
    }

    private static Shape merge(Shape a, Shape b) {
        Shape s = a.merge(b);
        require(s != null, INVALID_ARGUMENT, "Concat saw incompatible element shapes: %s vs %s", a, b);
        return s;
    }

    private static Shape rest(Shape s) {
        if (!s.isRankKnown()) return s;
        require(
                s.rank() >= 1,
                INVALID_ARGUMENT,
                "Concat requires elements to be at least vectors, found scalars instead.");
        return s.slice(1, s.rank());
    }
}
