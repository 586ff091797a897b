package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.memory.RowPlaces;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rows of values, after RFC 4180: fields may be quoted, and then hold delimiters and line ends. Plain or gzipped. A row of several fields
 * has a character at least; what has none is no row.
 *
 * @param fields how many fields each row has
 * @param header whether the first row of each file has names
 */
public record Csv(List<Group> groups, int fields, char delimiter, boolean header) implements RowMapper<Record> {

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
                    g.first + g.count <= fields,
                    INVALID_ARGUMENT,
                    "csv: columns %d to %d are not among %d",
                    g.first,
                    g.first + g.count - 1,
                    fields);
    }

    /** Rows of so many fields with commas between them and no header; columns are to be chosen. */
    public static Csv of(int fields) {
        return new Csv(List.of(), fields, ',', false);
    }

    /** With another component: columns {@code [first, first + count)}. */
    public Csv with(DType dtype, int first, int count) {
        return with(new Group(dtype, first, count, null));
    }

    /** With another component. */
    public Csv with(Group group) {
        List<Group> all = new ArrayList<>(groups);
        all.add(group);
        return new Csv(all, fields, delimiter, header);
    }

    public Csv withDelimiter(char other) {
        require(other < 128 && other != '"' && other != '\n', INVALID_ARGUMENT, "csv: '%s' can not part fields", other);
        return new Csv(groups, fields, other, header);
    }

    public Csv withHeader() {
        return new Csv(groups, fields, delimiter, true);
    }

    /** The rows of files, by names or patterns, as samples. */
    public Pipeline<Sample> read(String... patterns) {
        return records(FileStore.local(), patterns).map("csv", 0, this);
    }

    /** The rows as they lie in the files, to be {@link #parse parsed} later. */
    public Pipeline<Record> records(FileStore store, String... patterns) {
        return Pipeline.of(new RecordFiles(
                store, List.of(patterns), new Lines.Format("csv", (byte) '"', header ? 1 : 0, fields == 1)));
    }

    @Override
    public Optional<List<Row.Column>> columns() {
        return Optional.of(groups.stream()
                .map(g -> new Row.Column(g.dtype, g.count == 1 ? Shape.SCALAR : Shape.of(g.count)))
                .toList());
    }

    /** The values of a row. */
    public Sample parse(Record row) {
        return apply(row, null);
    }

    @Override
    public void write(Record row, Draw draw, Row to) {
        RowPlaces places = RowPlaces.of(to);
        CsvFields fields = new CsvFields(row.bytes(), (byte) delimiter);
        int column = 0;
        for (int i = 0; i < groups.size(); i++) {
            Group g = groups.get(i);
            if (g.first < column) {
                fields.restart();
                column = 0;
            }
            for (; column < g.first; column++) pass(row, fields);
            if (g.dtype == DType.STRING) strings(row, g, fields, places.objects(i), places.first(i));
            else numbers(row, g, fields, places.address(i));
            column += g.count;
        }
        int all = column + fields.left();
        if (fields.isBroken()) throw row.broken("text behind a closing quote");
        if (all != this.fields) throw row.broken("wanted %d fields, got %d", this.fields, all);
    }

    /** Goes to the next field; there must be one. */
    private void pass(Record row, CsvFields fields) {
        if (fields.next()) return;
        if (fields.isBroken()) throw row.broken("text behind a closing quote");
        throw row.broken("wanted %d fields, got %d", this.fields, CsvFields.count(row.bytes(), (byte) delimiter));
    }

    private void strings(Record row, Group g, CsvFields fields, Object[] to, int at) {
        for (int i = 0; i < g.count; i++) {
            pass(row, fields);
            byte[] field = fields.field();
            to[at + i] = field.length == 0 && g.missing != null ? g.missing.getBytes(StandardCharsets.UTF_8) : field;
        }
    }

    private void numbers(Record row, Group g, CsvFields fields, long address) {
        int size = g.dtype.size(), c = 0;
        if (g.dtype == DType.F32)
            while (c < g.count && fields.nextFloat()) Memory.putFloat(address + 4L * c++, fields.single());
        else if (g.dtype == DType.F64)
            while (c < g.count && fields.nextDouble()) Memory.putDouble(address + 8L * c++, fields.number());
        for (; c < g.count; c++) {
            pass(row, fields);
            put(row, g, g.first + c, fields.field(), address + (long) size * c);
        }
    }

    private static void put(Record row, Group g, int column, byte[] text, long at) {
        byte[] field = text.length == 0 && g.missing != null ? g.missing.getBytes(StandardCharsets.UTF_8) : text;
        try {
            switch (g.dtype) {
                case F32 -> Memory.putFloat(at, (float) CsvFields.number(field, true));
                case F64 -> Memory.putDouble(at, CsvFields.number(field, false));
                case I32 -> Memory.putInt(at, (int) CsvFields.whole(field, true));
                default -> Memory.putLong(at, CsvFields.whole(field, false));
            }
        } catch (NumberFormatException e) {
            throw row.broken(
                    "field %d, '%s', is not %s",
                    column, new String(field, 0, Math.min(field.length, 40), StandardCharsets.UTF_8), g.dtype);
        }
    }
}
