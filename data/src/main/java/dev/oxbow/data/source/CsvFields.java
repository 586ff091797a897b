package dev.oxbow.data.source;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Fields of a row, and numbers in them, without text in between. */
final class CsvFields {
    private static final double[] TENS = new double[23];
    private static final long MOST_EXACT = 1L << 53;
    private static final int MOST_DIGITS = 18;

    /** The bits of a double that a float has not, and what they are in the middle between two floats. */
    private static final long BELOW_FLOAT = (1L << 29) - 1, MIDDLE = 1L << 28;

    static {
        TENS[0] = 1;
        for (int i = 1; i < TENS.length; i++) TENS[i] = TENS[i - 1] * 10;
    }

    private CsvFields() {}

    /**
     * Writes where fields begin and end, with their quotes, as far as there is room; how many there are, or -1 where something
     * follows a closing quote.
     */
    static int split(byte[] row, byte delimiter, int[] bounds) {
        int field = 0, at = 0;
        while (true) {
            int from = at;
            if (at < row.length && row[at] == '"') {
                at = behindQuote(row, at);
                if (at < row.length && row[at] != delimiter) return -1;
            } else {
                while (at < row.length && row[at] != delimiter) at++;
            }
            if (2 * field + 1 < bounds.length) {
                bounds[2 * field] = from;
                bounds[2 * field + 1] = at;
            }
            field++;
            if (at >= row.length) return field;
            at++;
        }
    }

    private static int behindQuote(byte[] row, int from) {
        int at = from + 1;
        while (at < row.length) {
            if (row[at] != '"') at++;
            else if (at + 1 < row.length && row[at + 1] == '"') at += 2;
            else return at + 1;
        }
        return at;
    }

    /** A field without its quotes. */
    static byte[] field(byte[] row, int[] bounds, int i) {
        int from = bounds[2 * i], to = bounds[2 * i + 1];
        if (from == to || row[from] != '"') return Arrays.copyOfRange(row, from, to);
        ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
        for (int at = from + 1; at < to - 1; at++) {
            out.write(row[at]);
            if (row[at] == '"') at++;
        }
        return out.toByteArray();
    }

    /** A decimal number, rounded as by {@link Double#parseDouble} or, where it is {@code narrow}, {@link Float#parseFloat}. */
    static double number(byte[] row, int from, int to, boolean narrow) {
        int at = trimmed(row, from, to), end = trimmedEnd(row, at, to);
        boolean negative = at < end && row[at] == '-';
        int first = at + (at < end && (row[at] == '-' || row[at] == '+') ? 1 : 0), digit = first, d;
        long mantissa = 0;
        while (digit < end && (d = row[digit] - '0') >= 0 && d <= 9) {
            mantissa = mantissa * 10 + d;
            digit++;
        }
        int digits = digit - first, behindPoint = 0;
        if (digit < end && row[digit] == '.') {
            int point = digit++;
            while (digit < end && (d = row[digit] - '0') >= 0 && d <= 9) {
                mantissa = mantissa * 10 + d;
                digit++;
            }
            behindPoint = digit - point - 1;
            digits += behindPoint;
        }
        // both are exact, so the quotient is rounded once; more digits may have overflowed the mantissa
        if (digit == end
                && digits > 0
                && digits <= MOST_DIGITS
                && mantissa <= MOST_EXACT
                && behindPoint < TENS.length) {
            double value = mantissa / TENS[behindPoint];
            if (!narrow || isSafe(value)) return negative ? -value : value;
        }
        return slowNumber(row, at, end, narrow);
    }

    /**
     * Whether the float nearest to a double is the one nearest to whatever was rounded to that double: only a double just between two
     * floats hides on which side of it that lay, and small floats have fewer bits.
     */
    private static boolean isSafe(double value) {
        return value == 0 || value >= Float.MIN_NORMAL && (Double.doubleToRawLongBits(value) & BELOW_FLOAT) != MIDDLE;
    }

    private static double slowNumber(byte[] row, int at, int end, boolean narrow) {
        String text = new String(row, at, end - at, StandardCharsets.US_ASCII);
        if (text.isEmpty() || "dDfF".indexOf(text.charAt(text.length() - 1)) >= 0)
            throw new NumberFormatException(text);
        return narrow ? Float.parseFloat(text) : Double.parseDouble(text);
    }

    /** A whole number of 64 or 32 bits. */
    static long whole(byte[] row, int from, int to, boolean narrow) {
        int at = trimmed(row, from, to), end = trimmedEnd(row, at, to);
        boolean negative = at < end && row[at] == '-';
        int digit = at + (at < end && (row[at] == '-' || row[at] == '+') ? 1 : 0);
        long value = 0;
        if (digit == end || end - digit > MOST_DIGITS) return slow(row, at, end, narrow);
        for (; digit < end; digit++) {
            int d = row[digit] - '0';
            if (d < 0 || d > 9) throw new NumberFormatException();
            value = value * 10 + d;
        }
        value = negative ? -value : value;
        if (narrow && value != (int) value) throw new NumberFormatException();
        return value;
    }

    private static long slow(byte[] row, int at, int end, boolean narrow) {
        String text = new String(row, at, end - at, StandardCharsets.US_ASCII);
        return narrow ? Integer.parseInt(text) : Long.parseLong(text);
    }

    private static int trimmed(byte[] row, int from, int to) {
        int at = from;
        while (at < to && row[at] == ' ') at++;
        return at;
    }

    private static int trimmedEnd(byte[] row, int from, int to) {
        int end = to;
        while (end > from && row[end - 1] == ' ') end--;
        return end;
    }
}
