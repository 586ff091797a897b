package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of values, after RFC 4180: fields may be quoted, and then hold delimiters and line ends. Plain or gzipped.
 *
 * @param columns how many fields each row has
 * @param header whether the first row of each file has names
 */
public record Csv(List<Group> groups, int columns, char delimiter, boolean header) {

    /** Columns that become one tensor: a vector, or a scalar of one column. What is missing is the default; null for an error. */
    public record Group(DType dtype, int first, int count, String missing) {
        public Group {
            require(
                    dtype == DType.F32
                            || dtype == DType.F64
                            || dtype == DType.I32
                            || dtype == DType.I64
                            || dtype == DType.STRING,
                    INVALID_ARGUMENT,
                    "csv: columns can be f32, f64, i32, i64 and string, not %s",
                    dtype);
            require(first >= 0 && count > 0, INVALID_ARGUMENT, "csv: there are no %d columns from %d on", count, first);
        }
    }

    public Csv {
        groups = List.copyOf(groups);
        for (Group g : groups)
            require(
                    g.first + g.count <= columns,
                    INVALID_ARGUMENT,
                    "csv: columns %d to %d are not among %d",
                    g.first,
                    g.first + g.count - 1,
                    columns);
    }

    /** Rows of so many fields with commas between them and no header; columns are to be chosen. */
    public static Csv of(int columns) {
        return new Csv(List.of(), columns, ',', false);
    }

    /** With another component: columns {@code [first, first + count)}. */
    public Csv with(DType dtype, int first, int count) {
        return with(new Group(dtype, first, count, null));
    }

    /** With another component. */
    public Csv with(Group group) {
        List<Group> all = new ArrayList<>(groups);
        all.add(group);
        return new Csv(all, columns, delimiter, header);
    }

    public Csv withDelimiter(char other) {
        require(other < 128 && other != '"' && other != '\n', INVALID_ARGUMENT, "csv: '%s' can not part fields", other);
        return new Csv(groups, columns, other, header);
    }

    public Csv withHeader() {
        return new Csv(groups, columns, delimiter, true);
    }

    /** The rows of files, by names or patterns, as samples. */
    public Pipeline<Sample> read(String... patterns) {
        return records(FileStore.local(), patterns).map("csv", 0, (record, _) -> parse(record));
    }

    /** The rows as they lie in the files, to be {@link #parse parsed} later. */
    public Pipeline<Record> records(FileStore store, String... patterns) {
        return Pipeline.of(
                new RecordFiles(store, List.of(patterns), new Lines.Format("csv", (byte) '"', header ? 1 : 0)));
    }

    /** The values of a row. */
    public Sample parse(Record row) {
        int[] bounds = new int[2 * columns];
        int found = CsvFields.split(row.bytes(), (byte) delimiter, bounds);
        if (found != columns)
            throw row.broken(found < 0 ? "text behind a closing quote" : "wanted %d fields, got %d", columns, found);
        List<Tensor> all = new ArrayList<>();
        for (Group g : groups) all.add(tensor(row, g, bounds));
        return new Sample(all);
    }

    private static Tensor tensor(Record row, Group g, int[] bounds) {
        Shape shape = g.count == 1 ? Shape.SCALAR : Shape.of(g.count);
        if (g.dtype == DType.STRING) {
            Object[] all = new Object[g.count];
            for (int i = 0; i < g.count; i++) {
                byte[] field = CsvFields.field(row.bytes(), bounds, g.first + i);
                all[i] = field.length == 0 && g.missing != null ? g.missing.getBytes(StandardCharsets.UTF_8) : field;
            }
            return Tensor.ofObjects(DType.STRING, shape, all);
        }
        Tensor t = Tensor.allocate(g.dtype, shape);
        for (int i = 0; i < g.count; i++) set(t, i, row, g, bounds);
        return t;
    }

    private static void set(Tensor t, int i, Record row, Group g, int[] bounds) {
        int column = g.first + i, from = bounds[2 * column], to = bounds[2 * column + 1];
        byte[] source = row.bytes();
        if (from < to && source[from] == '"' || from == to) {
            source = CsvFields.field(source, bounds, column);
            if (source.length == 0 && g.missing != null) source = g.missing.getBytes(StandardCharsets.UTF_8);
            from = 0;
            to = source.length;
        }
        try {
            if (g.dtype.isFloating()) t.set(i, CsvFields.number(source, from, to, g.dtype == DType.F32));
            else t.setLong(i, CsvFields.whole(source, from, to, g.dtype == DType.I32));
        } catch (NumberFormatException e) {
            throw row.broken(
                    "field %d, '%s', is not %s",
                    column, new String(source, from, Math.min(to - from, 40), StandardCharsets.UTF_8), g.dtype);
        }
    }
}
