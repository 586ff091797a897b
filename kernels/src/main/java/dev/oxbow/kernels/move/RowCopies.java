package dev.oxbow.kernels.move;

import dev.oxbow.tensor.Memory;

/** Rows that an array names, brought together and put back. */
public final class RowCopies {

    /** Bytes up to which a row is copied by moves of eight: a call for each would take longer. */
    private static final long SHORT = 256;

    private RowCopies() {}

    /** {@code y[i] = x[rows[i]]} for the first {@code count} rows of {@code bytes}. */
    public static void gather(long x, long[] rows, int count, long bytes, long y) {
        if (bytes == Integer.BYTES)
            for (int i = 0; i < count; i++) Memory.putInt(y + 4L * i, Memory.getInt(x + 4 * rows[i]));
        else for (int i = 0; i < count; i++) copy(x + rows[i] * bytes, y + i * bytes, bytes);
    }

    /** {@code y[rows[i]] = x[i]} for the first {@code count} rows of {@code bytes}, in order. */
    public static void scatter(long x, long bytes, long y, long[] rows, int count) {
        if (bytes == Integer.BYTES)
            for (int i = 0; i < count; i++) Memory.putInt(y + 4 * rows[i], Memory.getInt(x + 4L * i));
        else for (int i = 0; i < count; i++) copy(x + i * bytes, y + rows[i] * bytes, bytes);
    }

    private static void copy(long from, long to, long bytes) {
        if (bytes > SHORT || bytes % Long.BYTES != 0) Memory.copy(from, to, bytes);
        else for (long b = 0; b < bytes; b += Long.BYTES) Memory.putLong(to + b, Memory.getLong(from + b));
    }
}
