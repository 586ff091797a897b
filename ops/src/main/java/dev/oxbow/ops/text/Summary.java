package dev.oxbow.ops.text;

import dev.oxbow.kernels.text.Printf;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Tensors as short text: the first and last elements of every dimension. */
public final class Summary {
    private Summary() {}

    /** At most {@code ends} elements at either end of each dimension; all when negative. */
    public static String of(Tensor t, int ends) {
        StringBuilder s = new StringBuilder();
        append(t, 0, 0, ends < 0 ? Long.MAX_VALUE : ends, s);
        return s.toString();
    }

    private static void append(Tensor t, int dim, long at, long ends, StringBuilder s) {
        Shape shape = t.shape();
        Counts.objects(s.length(), 8);
        if (dim == shape.rank()) {
            s.append(element(t, at));
            return;
        }
        long n = shape.dim(dim), step = shape.size(dim + 1, shape.rank());
        s.append('[');
        for (long i = 0; i < Math.min(ends, n); i++) {
            if (i > 0) space(dim, shape.rank(), s);
            append(t, dim + 1, at + i * step, ends, s);
        }
        if (ends < n - ends) {
            space(dim, shape.rank(), s);
            s.append("...");
        }
        for (long i = Math.max(ends, n - ends); i < n; i++) {
            space(dim, shape.rank(), s);
            append(t, dim + 1, at + i * step, ends, s);
        }
        s.append(']');
    }

    private static void space(int dim, int rank, StringBuilder s) {
        if (dim == rank - 1) {
            s.append(' ');
            return;
        }
        s.append("\n".repeat(rank - dim - 1)).append(" ".repeat(dim + 1));
    }

    /** One element, floats with as many digits as bring it back. */
    private static String element(Tensor t, long i) {
        return switch (t.dtype()) {
            case STRING -> '"' + Strings.text(Strings.get(t, i)) + '"';
            case F32, F16, BF16 -> single((float) t.getDouble(i));
            case F64 -> wide(t.getDouble(i));
            case C64 ->
                "(" + single(Memory.getFloat(t.address() + 8 * i)) + ","
                        + single(Memory.getFloat(t.address() + 8 * i + 4)) + ")";
            case C128 ->
                "(" + wide(Memory.getDouble(t.address() + 16 * i)) + ","
                        + wide(Memory.getDouble(t.address() + 16 * i + 8)) + ")";
            case U64 -> Long.toUnsignedString(t.getLong(i));
            case RESOURCE, VARIANT -> "<" + t.dtype() + ">";
            default -> Long.toString(t.getLong(i));
        };
    }

    private static String single(float x) {
        String s = Printf.number(x, Printf.Style.SHORTEST, 6);
        return !Float.isFinite(x) || Float.parseFloat(s) == x ? s : Printf.number(x, Printf.Style.SHORTEST, 9);
    }

    private static String wide(double x) {
        String s = Printf.number(x, Printf.Style.SHORTEST, 15);
        return !Double.isFinite(x) || Double.parseDouble(s) == x ? s : Printf.number(x, Printf.Style.SHORTEST, 17);
    }
}
