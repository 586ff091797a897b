package dev.oxbow.data.memory;

import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/**
 * Where a row of a batch lies: for each column an address, or a place among objects. Whoever has an address writes only as many values
 * as a row of the column has.
 */
public final class RowPlaces {
    private static Function<Object, RowPlaces> opener;

    private final long[] addresses;
    private final Object[][] objects;
    private final long[] widths;
    private long index;

    /** @param sizes how many values a row of each column has */
    public RowPlaces(List<Tensor> tensors, long[] sizes) {
        int n = tensors.size();
        addresses = new long[n];
        objects = new Object[n][];
        widths = sizes.clone();
        for (int c = 0; c < n; c++) {
            Tensor t = tensors.get(c);
            if (t.dtype().isObject()) objects[c] = t.objects();
            else {
                addresses[c] = t.address();
                widths[c] *= t.dtype().size();
            }
        }
    }

    /** The class of rows says how theirs are had. */
    public static void openWith(Function<Object, RowPlaces> f) {
        opener = f;
    }

    /** Those of a row that is being written. */
    public static RowPlaces of(Object row) {
        return opener.apply(row);
    }

    /** Goes to another row. */
    public void at(long row) {
        index = row;
    }

    /** Where the values of a column of numbers lie. */
    public long address(int column) {
        return addresses[column] + index * widths[column];
    }

    /** How far the values of a column of numbers are from those of the next row, in bytes. */
    public long width(int column) {
        return widths[column];
    }

    /** The array that has the values of a column of strings, from {@link #first} on. */
    public Object[] objects(int column) {
        return objects[column];
    }

    public int first(int column) {
        return (int) (index * widths[column]);
    }
}
