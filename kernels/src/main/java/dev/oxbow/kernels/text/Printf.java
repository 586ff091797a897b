package dev.oxbow.kernels.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as C's printf writes them: rounded from their exact binary value, half to even. */
public final class Printf {

    /** How a floating number is written. */
    public enum Style {
        /** {@code %f}. */
        FIXED,
        /** {@code %e}. */
        SCIENTIFIC,
        /** {@code %g}: the shorter of both, without trailing zeros. */
        SHORTEST
    }

    private Printf() {}

    /** A floating number with {@code precision} digits, 6 when negative. */
    public static String number(double x, Style style, int precision) {
        if (Double.isNaN(x)) return Double.doubleToRawLongBits(x) < 0 ? "-nan" : "nan";
        if (Double.isInfinite(x)) return x > 0 ? "inf" : "-inf";
        int p = precision < 0 ? 6 : precision;
        boolean negative = x < 0 || x == 0 && 1 / x < 0;
        BigDecimal exact = new BigDecimal(Math.abs(x));
        String digits = switch (style) {
            case FIXED -> exact.setScale(p, RoundingMode.HALF_EVEN).toPlainString();
            case SCIENTIFIC -> scientific(exact, p);
            case SHORTEST -> shortest(exact, Math.max(1, p));
        };
        return negative ? "-" + digits : digits;
    }

    private static String scientific(BigDecimal x, int p) {
        if (x.signum() == 0) return mantissa("0".repeat(p + 1), 0);
        BigDecimal rounded = x.round(new MathContext(p + 1, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        String digits = rounded.unscaledValue().toString();
        return mantissa(digits + "0".repeat(Math.max(0, p + 1 - digits.length())), exponent);
    }

    private static String mantissa(String digits, int exponent) {
        String point = digits.length() > 1 ? digits.charAt(0) + "." + digits.substring(1) : digits;
        return "%se%s%02d".formatted(point, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private static String shortest(BigDecimal x, int p) {
        if (x.signum() == 0) return "0";
        BigDecimal rounded = x.round(new MathContext(p, RoundingMode.HALF_EVEN));
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < p)
            return stripped(
                    rounded.setScale(p - 1 - exponent, RoundingMode.HALF_EVEN).toPlainString());
        String all = scientific(x, p - 1);
        int e = all.indexOf('e');
        return stripped(all.substring(0, e)) + all.substring(e);
    }

    private static String stripped(String s) {
        if (s.indexOf('.') < 0) return s;
        int end = s.length();
        while (s.charAt(end - 1) == '0') end--;
        return s.substring(0, s.charAt(end - 1) == '.' ? end - 1 : end);
    }

    /** Brings text to a width by a fill of {@code ' '}, {@code '0'}, {@code '-'} or {@code '+'}; 0 is none. */
    public static String padded(String text, char fill, int width) {
        String s = fill == '+' && !text.startsWith("-") && !text.equals("nan") ? "+" + text : text;
        if (fill == ' ' && !text.startsWith("-")) s = " " + text;
        if (width <= s.length()) return s;
        int missing = width - s.length();
        if (fill == '-') return s + " ".repeat(missing);
        boolean zeros = fill == '0' && !s.isEmpty() && Character.isDigit(s.charAt(s.length() - 1));
        if (!zeros) return " ".repeat(missing) + s;
        return s.startsWith("-") ? "-" + "0".repeat(missing) + s.substring(1) : "0".repeat(missing) + s;
    }
}
