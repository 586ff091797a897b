package dev.oxbow.ops.text;

import dev.oxbow.tensor.Tensor;
import java.util.Locale;

/** Numbers read from text. */
final class Parsing {
    private Parsing() {}

    /** Sets element {@code i} to the number that the text spells, or says false. */
    static boolean parse(String text, Tensor y, long i) {
        String s = text.strip();
        try {
            switch (y.dtype()) {
                case F32 -> y.set(i, Float.parseFloat(floating(s)));
                case F64 -> y.set(i, Double.parseDouble(floating(s)));
                case I32 -> y.setLong(i, Integer.parseInt(s));
                case I64 -> y.setLong(i, Long.parseLong(s));
                case U32 -> y.setLong(i, Integer.parseUnsignedInt(s));
                case U64 -> y.setLong(i, Long.parseUnsignedLong(s));
                default -> {
                    return false;
                }
            }
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** The spelling that Java takes: C writes infinities and NaN otherwise, and has no type suffix. */
    private static String floating(String s) {
        String lower = s.toLowerCase(Locale.ROOT),
                unsigned = lower.startsWith("-") || lower.startsWith("+") ? lower.substring(1) : lower;
        String sign = lower.startsWith("-") ? "-" : "";
        if (unsigned.equals("inf") || unsigned.equals("infinity")) return sign + "Infinity";
        if (unsigned.equals("nan")) return "NaN";
        if (unsigned.endsWith("f") && !unsigned.startsWith("0x")
                || unsigned.endsWith("d") && !unsigned.startsWith("0x")) throw new NumberFormatException(s);
        if (unsigned.startsWith("0x") && unsigned.indexOf('p') < 0) return s + "p0";
        return s;
    }
}
