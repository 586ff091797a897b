package dev.oxbow.data.source;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Walks the fields of a row. Plain decimal numbers are read while their end is looked for, with one rounding: digits are a whole number
 * of 53 bits at most, the power of ten that divides it is exact, too. All others are left to the JDK.
 */
final class CsvFields {
    private static final double[] TENS = new double[23];
    private static final long MOST_EXACT = 1L << 53;
    private static final int MOST_DIGITS = 18;

    /** The bits of a double that a float has not, and what they are in the middle between two floats. */
    private static final long BELOW_FLOAT = (1L << 29) - 1, MIDDLE = 1L << 28;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ZEROS = 0x3030303030303030L,
            HIGHS = 0x8080808080808080L,
            ABOVE_NINE = 0x7676767676767676L;
    private static final long PAIRS = 0x000000FF000000FFL,
            FIRST = 100 + (1_000_000L << 32),
            SECOND = 1 + (10_000L << 32);
    private static final float[] FLOAT_TENS = new float[8];

    static {
        TENS[0] = 1;
        for (int i = 1; i < TENS.length; i++) TENS[i] = TENS[i - 1] * 10;
        for (int i = 0; i < FLOAT_TENS.length; i++) FLOAT_TENS[i] = (float) TENS[i];
    }

    private final byte[] row;
    private final byte delimiter;

    /** Where the next field begins; behind the last one the length of the row and one. */
    private int at;

    private int from;
    private int to;
    private boolean broken;
    private double number;
    private float single;

    CsvFields(byte[] row, byte delimiter) {
        this.row = row;
        this.delimiter = delimiter;
    }

    void restart() {
        at = 0;
    }

    /** How many fields a row has, the last one of which may be broken. */
    static int count(byte[] row, byte delimiter) {
        return new CsvFields(row, delimiter).left();
    }

    /** Goes to the next field; false behind the last, and where something follows a closing quote. */
    boolean next() {
        if (at > row.length) return false;
        from = at;
        if (at < row.length && row[at] == '"') {
            at = behindQuote(at);
            if (at < row.length && row[at] != delimiter) {
                broken = true;
                return false;
            }
        } else while (at < row.length && row[at] != delimiter) at++;
        to = at++;
        return true;
    }

    /** How many fields there are behind this one. */
    int left() {
        int n = 0;
        while (next()) n++;
        return n;
    }

    boolean isBroken() {
        return broken;
    }

    private int behindQuote(int quote) {
        int i = quote + 1;
        while (i < row.length) {
            if (row[i] != '"') i++;
            else if (i + 1 < row.length && row[i + 1] == '"') i += 2;
            else return i + 1;
        }
        return i;
    }

    /** The field without its quotes. */
    byte[] field() {
        if (from == to || row[from] != '"') return Arrays.copyOfRange(row, from, to);
        ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
        for (int i = from + 1; i < to - 1; i++) {
            out.write(row[i]);
            if (row[i] == '"') i++;
        }
        return out.toByteArray();
    }

    /**
     * Goes to the next field if that is a number of at most seven digits, which lies in eight bytes: all of them are looked at together.
     * Both the digits and the power of ten are exact floats, so the quotient has one rounding.
     */
    private boolean nextShort() {
        byte[] r = row;
        int i = at;
        if (i + Long.BYTES >= r.length) return false;
        int negative = r[i] == '-' ? 1 : 0;
        i += negative;
        long digits = (long) LONG.get(r, i) ^ ZEROS;
        long others = ((digits & ~HIGHS) + ABOVE_NINE | digits) & HIGHS;
        int point = Long.numberOfTrailingZeros(others) >>> 3, behindPoint = 0, n = point;
        if (point == Long.BYTES) return false;
        if (r[i + point] == '.') {
            long before = (1L << 8 * point) - 1;
            long rest = others >>> 8 & ~before;
            n = rest == 0 ? Long.BYTES - 1 : Long.numberOfTrailingZeros(rest) >>> 3;
            digits = digits & before | digits >>> 8 & ~before;
            behindPoint = n - point;
            i++;
        }
        int end = i + n;
        if (n == 0 || end < r.length && r[end] != delimiter) return false;
        digits <<= 64 - 8 * n;
        digits = digits * 10 + (digits >>> 8); // pairs, then fours, then all
        digits = (digits & PAIRS) * FIRST + (digits >>> 16 & PAIRS) * SECOND >>> 32;
        float value = (int) digits / FLOAT_TENS[behindPoint];
        single = negative == 1 ? -value : value;
        at = end + 1;
        return true;
    }

    /** Goes to the next field if that is a plain decimal number whose nearest double, and float, need no second look. */
    boolean nextDouble() {
        byte[] r = row;
        int i = at, end = r.length, first, d;
        boolean negative = i < end && r[i] == '-';
        if (negative) i++;
        first = i;
        long mantissa = 0;
        while (i < end && (d = r[i] - '0') >= 0 && d <= 9) {
            mantissa = mantissa * 10 + d;
            i++;
        }
        int digits = i - first, behindPoint = 0;
        if (i < end && r[i] == '.') {
            int point = i++;
            while (i < end && (d = r[i] - '0') >= 0 && d <= 9) {
                mantissa = mantissa * 10 + d;
                i++;
            }
            behindPoint = i - point - 1;
            digits += behindPoint;
        }
        if (i < end && r[i] != delimiter || i > end || digits == 0 || digits > MOST_DIGITS || mantissa > MOST_EXACT)
            return false;
        double value = mantissa / TENS[behindPoint];
        number = negative ? -value : value;
        at = i + 1;
        return true;
    }

    /**
     * As {@link #nextDouble}, and the float nearest to the double is the one nearest to the text: only a double just between two floats
     * hides on which side of it the text lies, and small floats have fewer bits.
     */
    boolean nextFloat() {
        if (nextShort()) return true;
        int before = at;
        if (nextDouble()) {
            double v = Math.abs(number);
            single = (float) number;
            if (v == 0 || v >= Float.MIN_NORMAL && (Double.doubleToRawLongBits(v) & BELOW_FLOAT) != MIDDLE) return true;
        }
        at = before;
        return false;
    }

    /** What {@link #nextDouble} read last. */
    double number() {
        return number;
    }

    /** What {@link #nextFloat} read last. */
    float single() {
        return single;
    }

    /** A decimal number, rounded as by {@link Double#parseDouble} or, where it is {@code narrow}, {@link Float#parseFloat}. */
    static double number(byte[] field, boolean narrow) {
        String text = new String(field, StandardCharsets.US_ASCII).strip();
        if (text.isEmpty() || "dDfF".indexOf(text.charAt(text.length() - 1)) >= 0)
            throw new NumberFormatException(text);
        return narrow ? Float.parseFloat(text) : Double.parseDouble(text);
    }

    /** A whole number of 64 or 32 bits. */
    static long whole(byte[] field, boolean narrow) {
        int i = field.length > 0 && field[0] == '-' ? 1 : 0, first = i, d;
        long value = 0;
        while (i < field.length && i - first < MOST_DIGITS && (d = field[i] - '0') >= 0 && d <= 9) {
            value = value * 10 + d;
            i++;
        }
        if (i == field.length && i > first && (!narrow || value <= Integer.MAX_VALUE))
            return first == 0 ? value : -value;
        String text = new String(field, StandardCharsets.US_ASCII).strip();
        return narrow ? Integer.parseInt(text) : Long.parseLong(text);
    }
}
