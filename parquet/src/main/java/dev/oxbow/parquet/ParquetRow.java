package dev.oxbow.parquet;

import dev.oxbow.data.pipeline.Lazy;

/** A row of a file, by its row group and its number in that. */
public final class ParquetRow implements Lazy<ParquetRow> {
    private final RowGroup group;
    private final int index;

    ParquetRow(RowGroup group, int index) {
        this.group = group;
        this.index = index;
    }

    RowGroup group() {
        return group;
    }

    int index() {
        return index;
    }

    /** Itself: columns are read by whoever writes the row. */
    @Override
    public ParquetRow get() {
        return this;
    }

    @Override
    public long bytes() {
        return group.rowBytes();
    }
}
