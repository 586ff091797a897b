package dev.oxbow.parallel;

import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.tensor.Shape;

/** Where a split axis goes in ops that change the shape. */
final class Axes {
    private Axes() {}

    /** The axis of the same elements in another shape that the rows of a split axis are along; -1 for none. */
    static int reshaped(Shape x, Shape y, int axis, Rows rows) {
        if (!x.isFullyKnown() || !y.isFullyKnown()) return -1;
        if (rows.total() == 0) return emptied(x, y, axis);
        long before = product(x, 0, axis), behind = product(x, axis, x.rank());
        int first = -1;
        for (int a = 0; a < y.rank(); a++) {
            if (product(y, 0, a) != before || !rows.divide(y.dim(a))) continue;
            if (product(y, a, y.rank()) != behind) continue;
            if (y.dim(a) == x.dim(axis)) return a;
            if (first < 0) first = a;
        }
        return first;
    }

    /** Of no rows at all, by position. */
    private static int emptied(Shape x, Shape y, int axis) {
        for (int a = 0; a < y.rank(); a++) if (y.dim(a) == 0 && product(y, 0, a) == product(x, 0, axis)) return a;
        return -1;
    }

    private static long product(Shape s, int from, int to) {
        long product = 1;
        for (int d = from; d < to; d++) product *= s.dim(d);
        return product;
    }

    /** The axis of a strided slice's result that is all of an axis of its input; -1 where it is not all, or dropped. */
    static int strided(StridedSlice s, Known c, int first, Shape x, int axis) {
        long[] begin = c.longs(first), end = c.longs(first + 1), stride = c.longs(first + 2);
        if (begin == null || end == null || stride == null || !x.isRankKnown()) return -1;
        int entry = entry(s, begin.length, x.rank(), axis), to = 0;
        for (int d = 0; d < axis; d++) {
            int e = entry(s, begin.length, x.rank(), d);
            if (e < 0 || (s.shrinkAxisMask() >> e & 1) == 0) to++;
        }
        int until = entry < 0 ? ellipsisOrEnd(s, begin.length) : entry;
        for (int e = 0; e < until; e++) if (has(s.newAxisMask(), e)) to++;
        if (entry < 0) return to;
        boolean fromStart = has(s.beginMask(), entry) || begin[entry] == 0;
        boolean toEnd = has(s.endMask(), entry) || end[entry] >= x.dim(axis);
        boolean all = fromStart && toEnd && stride[entry] == 1 && !has(s.shrinkAxisMask(), entry);
        return all ? to : -1;
    }

    /** The entry of the specification for a dimension; -1 where an ellipsis or nothing stands for it. */
    static int entry(StridedSlice s, int entries, int rank, int axis) {
        int ellipsis = -1, after = 0;
        for (int e = 0; e < entries; e++) {
            if (has(s.ellipsisMask(), e)) ellipsis = e;
            else if (ellipsis >= 0 && !has(s.newAxisMask(), e)) after++;
        }
        int dim = 0;
        for (int e = 0; e < entries; e++) {
            if (e == ellipsis) {
                int next = rank - after;
                if (axis >= dim && axis < next) return -1;
                dim = next;
            } else if (!has(s.newAxisMask(), e)) {
                if (dim++ == axis) return e;
            }
        }
        return -1;
    }

    private static int ellipsisOrEnd(StridedSlice s, int entries) {
        for (int e = 0; e < entries; e++) if (has(s.ellipsisMask(), e)) return e;
        return entries;
    }

    private static boolean has(int mask, int bit) {
        return (mask >> bit & 1) != 0;
    }
}
