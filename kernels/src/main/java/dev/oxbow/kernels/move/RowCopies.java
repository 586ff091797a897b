package dev.oxbow.kernels.move;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Rows that a list of i64 numbers names, brought together and put back. */
public final class RowCopies {

    private RowCopies() {}

    /** {@code y[i] = x[rows[i]]} for the first {@code count} rows of {@code bytes}. */
    public static void gather(long x, Tensor rows, int count, long bytes, long y) {
        long list = rows.address();
        if (bytes == Integer.BYTES)
            for (int i = 0; i < count; i++) Memory.putInt(y + 4L * i, Memory.getInt(x + 4 * row(list, i)));
        else if (RowLists.gathers(bytes, DType.I64)) RowLists.gather(x, rows, 0, count, bytes, y);
        else for (int i = 0; i < count; i++) Memory.copy(x + row(list, i) * bytes, y + i * bytes, bytes);
    }

    /** {@code y[rows[i]] = x[i]} for the first {@code count} rows of {@code bytes}, in order. */
    public static void scatter(long x, long bytes, long y, Tensor rows, int count) {
        long list = rows.address();
        if (bytes == Integer.BYTES)
            for (int i = 0; i < count; i++) Memory.putInt(y + 4 * row(list, i), Memory.getInt(x + 4L * i));
        else if (RowLists.gathers(bytes, DType.I64)) RowLists.scatter(x, rows, count, bytes, y);
        else for (int i = 0; i < count; i++) Memory.copy(x + i * bytes, y + row(list, i) * bytes, bytes);
    }

    private static long row(long list, int i) {
        return Memory.getLong(list + 8L * i);
    }
}
