package dev.oxbow.data.memory;

/** What writes several rows at once, column by column. */
public interface ManyRows {

    /**
     * Writes each element to a row, the first to row {@code first} and so on; false where they must be written one by one, which tells
     * what is wrong with which.
     */
    boolean write(Object[] elements, RowPlaces places, long first);
}
