package dev.oxbow.tensor;

import java.nio.charset.StandardCharsets;

/** What a tensor prints: type, shape and elements, of long axes the first and the last few. */
final class TensorText {
    /** Up to so many elements all are shown. */
    private static final int ALL = 100;

    /** Of a larger tensor at most so many are shown: up to three at each end of an axis, fewer of many axes. */
    private static final int MOST = 1000;

    private static final int LONGEST_STRING = 60;

    private final Tensor tensor;
    private final long[] shape;
    private final long ends;
    private final StringBuilder text = new StringBuilder();

    private TensorText(Tensor tensor, long ends) {
        this.tensor = tensor;
        this.ends = ends;
        shape = tensor.shape().dims();
    }

    /** The text of a tensor whose memory stays while it is read. */
    static String of(Tensor t) {
        if (t.size() == 0) return t.describe() + " []";
        long ends = t.size() <= ALL ? ALL : 3;
        while (ends > 0 && shown(t.shape(), ends) > MOST) ends--;
        if (ends == 0) return t.describe() + " [...]";
        TensorText made = new TensorText(t, ends);
        made.axis(0, 0);
        return t.describe() + (t.shape().rank() > 1 ? "\n" : " ") + made.text;
    }

    private static long shown(Shape shape, long ends) {
        long n = 1;
        for (long d : shape.dims()) n = Math.min(n * Math.min(d, 2 * ends), MOST + 1);
        return n;
    }

    private void axis(int axis, long from) {
        if (axis == shape.length) {
            text.append(element(from));
            return;
        }
        long stride = 1;
        for (int i = axis + 1; i < shape.length; i++) stride *= shape[i];
        boolean whole = shape[axis] <= 2 * ends;
        text.append('[');
        for (long i = 0; i < shape[axis]; i++) {
            if (i > 0) separate(axis);
            if (!whole && i == ends) {
                text.append("...");
                separate(axis);
                i = shape[axis] - ends;
            }
            axis(axis + 1, from + i * stride);
        }
        text.append(']');
    }

    private void separate(int axis) {
        int inner = shape.length - axis - 1;
        text.append(inner == 0 ? ", " : "," + "\n".repeat(Math.min(inner, 2)) + " ".repeat(axis + 1));
    }

    private String element(long i) {
        return switch (tensor.dtype()) {
            case F32, F16, BF16 -> Float.toString((float) tensor.getDouble(i));
            case F64 -> Double.toString(tensor.getDouble(i));
            case BOOL -> tensor.getLong(i) != 0 ? "true" : "false";
            case U64 -> Long.toUnsignedString(tensor.getLong(i));
            case C64 ->
                complex(
                        Float.toString(Memory.getFloat(tensor.address() + 8 * i)),
                        Float.toString(Memory.getFloat(tensor.address() + 8 * i + 4)));
            case C128 ->
                complex(
                        Double.toString(Memory.getDouble(tensor.address() + 16 * i)),
                        Double.toString(Memory.getDouble(tensor.address() + 16 * i + 8)));
            case STRING, RESOURCE, VARIANT -> object(tensor.objects()[(int) i]);
            default -> Long.toString(tensor.getLong(i));
        };
    }

    private static String complex(String real, String imaginary) {
        return real + (imaginary.startsWith("-") ? "" : "+") + imaginary + "i";
    }

    private static String object(Object o) {
        if (!(o instanceof byte[] bytes)) return String.valueOf(o);
        String s = new String(bytes, 0, Math.min(bytes.length, 4 * LONGEST_STRING), StandardCharsets.UTF_8);
        return s.length() <= LONGEST_STRING && bytes.length <= 4 * LONGEST_STRING
                ? '"' + s + '"'
                : '"' + s.substring(0, Math.min(s.length(), LONGEST_STRING)) + "\"...";
    }
}
