package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where a row of a batch lies: for each column an address, or a place among objects. It is used by one thread, and not kept. */
public final class Row {
    /** The dtype of a column, and the shape that each row of it has. */
    public record Column(DType dtype, Shape shape) {}

    private final long[] addresses;
    private final Object[][] objects;
    private final long[] widths;
    private long index;

    Row(List<Tensor> tensors, List<Column> columns) {
        int n = columns.size();
        addresses = new long[n];
        objects = new Object[n][];
        widths = new long[n];
        for (int c = 0; c < n; c++) {
            Column column = columns.get(c);
            widths[c] = column.shape.size();
            if (column.dtype.isObject()) objects[c] = tensors.get(c).objects();
            else {
                addresses[c] = tensors.get(c).address();
                widths[c] *= column.dtype.size();
            }
        }
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

    Row at(long row) {
        index = row;
        return this;
    }

    /** Where the values of a column of numbers lie. */
    public long address(int column) {
        return addresses[column] + index * widths[column];
    }

    /** The array that has the values of a column of strings, from {@link #first} on. */
    public Object[] objects(int column) {
        return objects[column];
    }

    public int first(int column) {
        return (int) (index * widths[column]);
    }
}
