package dev.oxbow.tensor;

import java.nio.charset.StandardCharsets;

/** What a tensor looks like in a terminal: its type, then its elements in brackets, of many only the first and last. */
final class TensorText {

    /** Elements of an axis that are shown at either end when it has more. */
    private static final long ENDS = 3;

    /** Up to so many elements all are shown. */
    private static final long FEW = 64;

    private static final int LONGEST_STRING = 40;

    private final Tensor tensor;
    private final long[] dims;
    private final StringBuilder text;

    private TensorText(Tensor tensor) {
        this.tensor = tensor;
        this.dims = tensor.shape().dims();
        this.text = new StringBuilder(tensor.type());
    }

    static String of(Tensor t) {
        if (t.isClosed()) return t.type() + " (closed)";
        if (!t.isIn(Space.HOST)) return t.type() + " (in " + t.space().name() + ")";
        TensorText all = new TensorText(t);
        all.text.append(' ');
        all.axis(0, 0, Math.max(1, t.size()));
        return all.text.toString();
    }

    /** The elements from {@code first} on, {@code size} in all, that share their numbers on the axes before {@code axis}. */
    private void axis(int axis, long first, long size) {
        if (axis == dims.length) {
            element(first);
            return;
        }
        long n = dims[axis], inner = n == 0 ? 0 : size / n;
        boolean all = tensor.size() <= FEW || n <= 2 * ENDS;
        text.append('[');
        for (long i = 0; i < n; i++) {
            if (i > 0) text.append(", ");
            if (!all && i == ENDS) {
                text.append("..., ");
                i = n - ENDS;
            }
            axis(axis + 1, first + i * inner, inner);
        }
        text.append(']');
    }

    private void element(long i) {
        DType t = tensor.dtype();
        if (t == DType.STRING) {
            String s = new String((byte[]) tensor.objects()[(int) i], StandardCharsets.UTF_8);
            text.append('"')
                    .append(s.length() > LONGEST_STRING ? s.substring(0, LONGEST_STRING) + "..." : s)
                    .append('"');
        } else if (t.isObject()) {
            text.append(tensor.objects()[(int) i]);
        } else if (t.isComplex()) {
            int w = t.size() / 2;
            long at = tensor.address() + i * t.size();
            text.append(w == 4 ? Memory.getFloat(at) : Memory.getDouble(at)).append(" + ");
            text.append(w == 4 ? Memory.getFloat(at + w) : Memory.getDouble(at + w))
                    .append('i');
        } else if (t == DType.BOOL) {
            text.append(tensor.getLong(i) != 0);
        } else if (t == DType.U64) {
            text.append(Long.toUnsignedString(tensor.getLong(i)));
        } else if (t == DType.F64) {
            text.append(tensor.getDouble(i));
        } else if (t.isFloating()) {
            text.append((float) tensor.getDouble(i));
        } else {
            text.append(tensor.getLong(i));
        }
    }
}
