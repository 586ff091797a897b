package dev.oxbow.parquet;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.data.source.FileStore;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which columns of Parquet files become tensors of a sample. */
public record Parquet(List<Group> groups) implements RowMapper<ParquetRow> {
    private static final Set<DType> DTYPES =
            Set.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL, DType.STRING);

    /**
     * Columns that become one tensor: a scalar of one column, a vector of several, or the values of one column of lists.
     *
     * @param columns their names, with points between the names of nested ones
     * @param list how many values each list has; 0 for columns that are no lists
     * @param missing stands for what is null, zero for a number it can not be; null for an error
     */
    public record Group(DType dtype, List<String> columns, int list, Object missing) {
        public Group {
            columns = List.copyOf(columns);
            require(
                    DTYPES.contains(dtype),
                    INVALID_ARGUMENT,
                    "parquet: columns can be f32, f64, i32, i64, bool and string, not %s",
                    dtype);
            require(
                    list == 0 ? !columns.isEmpty() : list > 0 && columns.size() == 1,
                    INVALID_ARGUMENT,
                    "parquet: wants a column at least, or one of lists, got %s and lists of %d",
                    columns,
                    list);
            require(
                    missing == null || dtype == DType.STRING ? !(missing instanceof Number) : missing instanceof Number,
                    INVALID_ARGUMENT,
                    "parquet: %s can not stand for a missing %s",
                    missing,
                    dtype);
        }

        Shape shape() {
            return list > 0 ? Shape.of(list) : columns.size() == 1 ? Shape.SCALAR : Shape.of(columns.size());
        }
    }

    public Parquet {
        groups = List.copyOf(groups);
    }

    /** No columns, which are to be chosen. */
    public static Parquet of() {
        return new Parquet(List.of());
    }

    /** With another component, of one column or several. */
    public Parquet with(DType dtype, String... columns) {
        return with(new Group(dtype, List.of(columns), 0, null));
    }

    /** With another component: a column whose lists have so many values. */
    public Parquet withList(DType dtype, String column, int values) {
        return with(new Group(dtype, List.of(column), values, null));
    }

    public Parquet with(Group group) {
        List<Group> all = new ArrayList<>(groups);
        all.add(group);
        return new Parquet(all);
    }

    /** The rows of files, by names or patterns, as samples. */
    public Pipeline<Sample> read(String... patterns) {
        return rows(FileStore.local(), patterns).map("parquet", 0, this);
    }

    /** The rows where they lie, of which a map with this makes samples. */
    public Pipeline<ParquetRow> rows(FileStore store, String... patterns) {
        require(!groups.isEmpty(), INVALID_ARGUMENT, "parquet: no column was chosen");
        return Pipeline.of(new ParquetFiles(store, List.of(patterns), groups));
    }

    @Override
    public Optional<List<Row.Column>> columns() {
        return Optional.of(
                groups.stream().map(g -> new Row.Column(g.dtype, g.shape())).toList());
    }

    @Override
    public void write(ParquetRow row, Draw draw, Row to) {
        RowPlaces places = RowPlaces.of(to);
        Values[] columns = row.group().columns();
        int column = 0;
        for (int i = 0; i < groups.size(); i++) {
            Group g = groups.get(i);
            for (int c = 0; c < g.columns.size(); c++, column++) columns[column].write(row.index(), g, places, i, c);
        }
    }

    @Override
    public RowMapper<ParquetRow> forRows() {
        return new ParquetRows(this);
    }
}
