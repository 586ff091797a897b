package dev.oxbow.parquet;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/**
 * The values of a column of one row group.
 *
 * @param array {@code float[]}, {@code double[]}, {@code int[]}, {@code long[]}, or {@code byte[][]}
 * @param nulls rows without a value, whose place in the array holds anything; null where there are none
 * @param starts where the list of a row begins, and one more; null where rows are no lists
 */
record Values(RowGroup group, String column, Object array, BitSet nulls, int[] starts) {

    /** Writes the values of rows as value {@code at} of rows of so many bytes; false unless they are plain numbers of this dtype. */
    boolean write(int[] rows, DType dtype, long address, int at, long width) {
        if (nulls != null || starts != null) return false;
        long to = address + (long) at * dtype.size();
        switch (array) {
            case float[] a
            when dtype == DType.F32 -> {
                for (int i = 0; i < rows.length; i++) Memory.putFloat(to + i * width, a[rows[i]]);
            }
            case double[] a
            when dtype == DType.F64 -> {
                for (int i = 0; i < rows.length; i++) Memory.putDouble(to + i * width, a[rows[i]]);
            }
            case long[] a
            when dtype == DType.I64 -> {
                for (int i = 0; i < rows.length; i++) Memory.putLong(to + i * width, a[rows[i]]);
            }
            case int[] a
            when dtype == DType.I32 -> {
                for (int i = 0; i < rows.length; i++) Memory.putInt(to + i * width, a[rows[i]]);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Writes the value of a row to place {@code at} of a column of the batch, or its list from there on. */
    void write(int row, Parquet.Group g, RowPlaces to, int column, int at) {
        if (starts == null) {
            one(row, nulls != null && nulls.get(row), g, to, column, at);
            return;
        }
        int from = starts[row], count = starts[row + 1] - from;
        if (count != g.list()) throw broken(row, "has a list of %d values, wanted are %d".formatted(count, g.list()));
        for (int i = 0; i < count; i++) one(from + i, nulls != null && nulls.get(from + i), g, to, column, i);
    }

    private void one(int i, boolean missing, Parquet.Group g, RowPlaces to, int column, int at) {
        if (missing && g.missing() == null) throw broken(i, "has no value, and there is no default");
        switch (g.dtype()) {
            case F32 -> {
                float v = missing
                        ? ((Number) g.missing()).floatValue()
                        : array instanceof float[] f ? f[i] : (float) ((double[]) array)[i];
                Memory.putFloat(to.address(column) + 4L * at, v);
            }
            case F64 -> {
                double v = missing
                        ? ((Number) g.missing()).doubleValue()
                        : array instanceof double[] d ? d[i] : ((float[]) array)[i];
                Memory.putDouble(to.address(column) + 8L * at, v);
            }
            case I32 ->
                Memory.putInt(
                        to.address(column) + 4L * at, missing ? ((Number) g.missing()).intValue() : ((int[]) array)[i]);
            case I64 -> {
                long v = missing
                        ? ((Number) g.missing()).longValue()
                        : array instanceof long[] l ? l[i] : ((int[]) array)[i];
                Memory.putLong(to.address(column) + 8L * at, v);
            }
            case BOOL -> {
                int v = missing ? ((Number) g.missing()).intValue() : ((int[]) array)[i];
                Memory.putByte(to.address(column) + at, (byte) (v == 0 ? 0 : 1));
            }
            default ->
                to.objects(column)[to.first(column) + at] =
                        missing ? g.missing().toString().getBytes(StandardCharsets.UTF_8) : ((byte[][]) array)[i];
        }
    }

    private OxbowException broken(int row, String rule) {
        return group.broken(column, "row %d %s".formatted(row, rule));
    }
}
