package dev.oxbow.parquet;

import dev.oxbow.data.memory.ManyRows;
import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import java.util.List;
import java.util.Optional;

/** Rows of one thread, written column by column where all are of one row group and hold plain numbers. */
record ParquetRows(Parquet format) implements RowMapper<ParquetRow>, ManyRows {

    @Override
    public Optional<List<Row.Column>> columns() {
        return format.columns();
    }

    @Override
    public void write(ParquetRow row, Draw draw, Row to) {
        format.write(row, draw, to);
    }

    @Override
    public boolean write(Object[] elements, RowPlaces places, long first) {
        RowGroup group = ((ParquetRow) elements[0]).group();
        int[] rows = new int[elements.length];
        for (int i = 0; i < rows.length; i++) {
            ParquetRow row = (ParquetRow) elements[i];
            if (row.group() != group) return false;
            rows[i] = row.index();
        }
        Values[] columns = group.columns();
        places.at(first);
        int column = 0;
        for (int i = 0; i < format.groups().size(); i++) {
            Parquet.Group g = format.groups().get(i);
            for (int c = 0; c < g.columns().size(); c++, column++)
                if (!columns[column].write(rows, g.dtype(), places.address(i), c, places.width(i))) return false;
        }
        return true;
    }
}
