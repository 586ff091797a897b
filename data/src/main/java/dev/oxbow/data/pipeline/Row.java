package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.memory.ManyRows;
import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A row of a batch, to be written by one thread: values of columns, counted from 0. Afterwards nothing can be written to it. */
public final class Row {
    /** The dtype of a column, and the shape that each row of it has. */
    public record Column(DType dtype, Shape shape) {}

    private final DType[] dtypes;
    private final long[] sizes;
    private final RowPlaces places;
    private boolean open;

    static {
        RowPlaces.openWith(row -> ((Row) row).places());
    }

    Row(List<Tensor> tensors, List<Column> columns) {
        dtypes = columns.stream().map(Column::dtype).toArray(DType[]::new);
        sizes = columns.stream().mapToLong(c -> c.shape.size()).toArray();
        places = new RowPlaces(tensors, sizes);
    }

    /** Tensors for so many rows. */
    static List<Tensor> allocate(List<Column> columns, Shape rows) {
        List<Tensor> all = new ArrayList<>();
        for (Column c : columns) {
            Shape shape = rows.concat(c.shape);
            if (c.dtype.isObject()) {
                Object[] empty = new Object[Math.toIntExact(shape.size())];
                Arrays.fill(empty, new byte[0]);
                all.add(Tensor.ofObjects(c.dtype, shape, empty));
            } else all.add(Tensor.allocate(c.dtype, shape));
        }
        return all;
    }

    /** Opens a row for writing, instead of the one before. */
    Row at(long row) {
        places.at(row);
        open = true;
        return this;
    }

    void close() {
        open = false;
    }

    /** Has rows written at once from {@code first} on; false where they must be written one by one. */
    boolean writeMany(RowMapper<?> writer, Object[] elements, long first) {
        return writer instanceof ManyRows many && many.write(elements, places, first);
    }

    private RowPlaces places() {
        require(open, FAILED_PRECONDITION, "row: it is written already, and must not be kept");
        return places;
    }

    private long address(int column, long i, DType dtype) {
        check(column, i, dtype);
        return places().address(column) + i * dtype.size();
    }

    private void check(int column, long i, DType dtype) {
        require(
                column >= 0 && column < dtypes.length && dtypes[column] == dtype,
                INVALID_ARGUMENT,
                "row: column %d is not %s; columns are %s",
                column,
                dtype,
                Arrays.toString(dtypes));
        require(
                i >= 0 && i < sizes[column],
                INVALID_ARGUMENT,
                "row: column %d has %d values, there is no value %d",
                column,
                sizes[column],
                i);
    }

    /** Sets value {@code i} of a column of f32. */
    public void setFloat(int column, long i, float value) {
        Memory.putFloat(address(column, i, DType.F32), value);
    }

    /** Sets value {@code i} of a column of f64. */
    public void setDouble(int column, long i, double value) {
        Memory.putDouble(address(column, i, DType.F64), value);
    }

    /** Sets value {@code i} of a column of i32. */
    public void setInt(int column, long i, int value) {
        Memory.putInt(address(column, i, DType.I32), value);
    }

    /** Sets value {@code i} of a column of i64. */
    public void setLong(int column, long i, long value) {
        Memory.putLong(address(column, i, DType.I64), value);
    }

    /** Sets value {@code i} of a column of u8. */
    public void setByte(int column, long i, byte value) {
        Memory.putByte(address(column, i, DType.U8), value);
    }

    /** Sets value {@code i} of a column of bool. */
    public void setBoolean(int column, long i, boolean value) {
        Memory.putByte(address(column, i, DType.BOOL), (byte) (value ? 1 : 0));
    }

    /** Sets value {@code i} of a column of strings. */
    public void setString(int column, long i, byte[] value) {
        check(column, i, DType.STRING);
        places().objects(column)[(int) (places.first(column) + i)] = value.clone();
    }

    /** Sets all values of a column of f32. */
    public void setFloats(int column, float... values) {
        require(
                column < 0 || column >= sizes.length || values.length == sizes[column],
                INVALID_ARGUMENT,
                "row: column %d has %d values, got %d",
                column,
                column < 0 || column >= sizes.length ? 0 : sizes[column],
                values.length);
        for (int i = 0; i < values.length; i++) setFloat(column, i, values[i]);
    }
}
