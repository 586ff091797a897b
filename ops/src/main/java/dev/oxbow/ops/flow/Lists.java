package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.Variants;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What ops on tensor lists share: handles, element shapes, rows of tensors. */
final class Lists {
    private Lists() {}

    static TensorType type(DType dtype, Shape elementShape) {
        return TensorType.handle(DType.VARIANT, new TensorType(dtype, elementShape));
    }

    /** The type of the elements of list input {@code i}, as far as known. */
    static TensorType element(InferenceContext c, int i, DType dtype) {
        List<TensorType> behind = c.input(i).behind();
        return behind.isEmpty() || behind.get(0).dtype() != dtype ? TensorType.of(dtype) : behind.get(0);
    }

    /** The element shape that input {@code i} spells as far as known: a scalar -1 is unknown. */
    static Shape shape(InferenceContext c, int i) {
        Tensor t = c.constant(i);
        if (t != null) return shape(t);
        return Shape.ofRank(c.shape(i).rank() == 1 ? c.shape(i).dim(0) : -1);
    }

    /** What the list's type and the shape input {@code i} say together; unknown where they contradict each other. */
    static Shape merged(InferenceContext c, int list, int i, DType dtype) {
        Shape s = element(c, list, dtype).shape().merge(shape(c, i));
        return s == null ? Shape.UNKNOWN : s;
    }

    /** The list in scalar variant input {@code i}. */
    static TensorList of(KernelContext c, int i) {
        Tensor t = c.input(i);
        require(t.shape().isScalar(), INVALID_ARGUMENT, "Input list must be a scalar saw: %s", t.shape());
        return of(t.objects()[0]);
    }

    static TensorList of(Object o) {
        require(
                o instanceof TensorList,
                INVALID_ARGUMENT,
                "Input handle is not a list. Saw: '%s'",
                o == null ? "nothing" : o.getClass().getSimpleName());
        return (TensorList) o;
    }

    static TensorList of(KernelContext c, int i, DType dtype) {
        return checked(of(c, i), dtype);
    }

    static TensorList checked(TensorList l, DType dtype) {
        require(
                l.dtype() == dtype,
                INVALID_ARGUMENT,
                "Invalid data types; op elements %s but list elements %s",
                dtype,
                l.dtype());
        return l;
    }

    static void give(KernelContext c, int output, TensorList list) {
        c.set(output, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, list));
    }

    static Shape shape(Tensor t) {
        if (t.shape().isScalar()) {
            require(
                    t.getLong(0) == -1,
                    INVALID_ARGUMENT,
                    "The only valid scalar shape tensor is the fully unknown shape specified as -1, got %d",
                    t.getLong(0));
            return Shape.UNKNOWN;
        }
        require(
                t.shape().rank() == 1,
                INVALID_ARGUMENT,
                "shape must be at most rank 1 but is rank %d",
                t.shape().rank());
        long[] dims = new long[Counts.toInt(t.size())];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = t.getLong(i);
            require(dims[i] >= -1, INVALID_ARGUMENT, "Shape dimensions must be -1 or not negative, got %d", dims[i]);
        }
        return Shape.of(dims);
    }

    /** What the list's element shape and the wanted one say together. */
    static Shape merged(TensorList l, Shape wanted) {
        Shape s = l.elementShape().merge(wanted);
        require(
                s != null,
                INVALID_ARGUMENT,
                "Incompatible shapes: the list's elements are %s, the op wants %s",
                l.elementShape(),
                wanted);
        return s;
    }

    /** The positions of all items. */
    static long[] all(TensorList l) {
        long[] all = Counts.array(l.size(), long[]::new);
        Arrays.setAll(all, i -> i);
        return all;
    }

    /** The merged shape, made more definite by the items that are set. */
    static Shape inferred(TensorList l, Shape partial) {
        return inferred(l, all(l), partial);
    }

    /** The merged shape, made more definite by those of the items at these positions that are set. */
    static Shape inferred(TensorList l, long[] positions, Shape partial) {
        Shape s = partial;
        for (long p : positions) {
            int i = (int) p;
            if (s.isFullyKnown()) break;
            if (l.item(i) == null) continue;
            Shape m = s.merge(l.item(i).shape());
            requireEqual(m != null, s, l.item(i).shape(), i);
            s = m;
        }
        return s;
    }

    /** Gives item {@code i} as an output; one that is not set reads as zeros where its shape is known. */
    static void giveItem(KernelContext c, int output, TensorList l, int i, Shape wanted) {
        Shape s = merged(l, wanted);
        Tensor t = l.item(i);
        if (t != null) {
            require(
                    s.isCompatibleWith(t.shape()),
                    INVALID_ARGUMENT,
                    "Incompatible shapes: element %d is %s, the op wants %s",
                    i,
                    t.shape(),
                    wanted);
            c.set(output, t.retain());
            return;
        }
        s = inferred(l, s);
        require(
                s.isFullyKnown(),
                INVALID_ARGUMENT,
                "Trying to read an uninitialized tensor but element_shape is not fully defined: %s",
                s);
        c.set(output, Variants.zeros(l.dtype(), s, c));
    }

    static void requireIndex(TensorList l, long index, String verb) {
        require(
                index >= 0 && index < l.size(),
                INVALID_ARGUMENT,
                "Trying to %s element %d in a list with %d elements.",
                verb,
                index,
                l.size());
    }

    static int scalar(KernelContext c, int i) {
        Tensor t = c.input(i);
        require(t.size() == 1, INVALID_ARGUMENT, "input %d must be a scalar, got shape %s", i, t.shape());
        return (int) t.getLong(0);
    }

    /** Row {@code i} of a tensor that is kept; the caller owns it. */
    static Tensor row(Tensor kept, long i) {
        Tensor rows = kept.viewRows(i, 1);
        Tensor row = rows.view(kept.shape().slice(1, kept.shape().rank()));
        rows.release();
        return row;
    }

    /** The items with these positions, each of shape {@code s}, as one tensor in output {@code output}. */
    static void stack(KernelContext c, int output, TensorList l, long[] positions, Shape s) {
        Tensor[] items = Counts.array(positions.length, Tensor[]::new);
        Tensor zeros = null;
        for (int i = 0; i < items.length; i++) {
            long p = positions[i];
            Tensor t = l.item((int) p);
            if (t == null) t = zeros == null ? zeros = Variants.zeros(l.dtype(), s, c) : zeros;
            requireEqual(t.shape().equals(s), s, t.shape(), p);
            items[i] = t;
        }
        Tensor y = c.allocate(output, Shape.of(positions.length).concat(s));
        Concat.pack(Arrays.asList(items), 0, y, c.parallel());
        if (zeros != null) zeros.release();
    }

    /** Says, where it is not so, that an item has another shape than the ones before it. */
    static void requireEqual(boolean equal, Shape before, Shape item, long index) {
        if (equal) return;
        boolean ranks = before.rank() != item.rank();
        throw new OxbowException(
                INVALID_ARGUMENT,
                "Incompatible %s during merge: %s vs. %s, of the item at index %d"
                        .formatted(
                                ranks ? "ranks" : "shapes",
                                ranks ? before.rank() : before,
                                ranks ? item.rank() : item,
                                index));
    }

    /** {@code shape(t)[1:]} as int32: the shape of the rows of a tensor. */
    static Value rowShape(Value t) {
        Ops ops = t.ops();
        return Value.apply(new Slice(), t.runtimeShape(), ops.constant(new int[] {1}), ops.constant(new int[] {-1}));
    }

    static Value length(Value list) {
        return Value.apply(new TensorListLength(), list);
    }

    static Value elementShape(Value list) {
        return Value.apply(new TensorListElementShape(DType.I32), list);
    }
}
