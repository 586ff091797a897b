package dev.oxbow.ops.lookup;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Fills tables from the lines of a text file. */
final class TextFile {
    private static final int LINE_NUMBER = -1;
    private static final int WHOLE_LINE = -2;

    private TextFile() {}

    /** Keys and values come from the columns with these indices; -1 is the line's number, -2 the whole line. */
    static void initialise(
            KernelContext c, int keyIndex, int valueIndex, long vocabSize, String delimiter, long offset) {
        Table t = Tables.table(c);
        Tensor file = c.input(1);
        require(file.size() == 1, INVALID_ARGUMENT, "filename should be a single string, but got %s", file.shape());
        Table.Kind k = t.declared();
        require(
                keyIndex != LINE_NUMBER || k.key() == DType.I64,
                INVALID_ARGUMENT,
                "the line number is an i64, the table's keys are %s",
                k.key());
        require(
                valueIndex != LINE_NUMBER || k.value() == DType.I64,
                INVALID_ARGUMENT,
                "the line number is an i64, the table's values are %s",
                k.value());
        require(
                keyIndex != WHOLE_LINE || k.key() == DType.STRING || k.key().isInteger(),
                INVALID_ARGUMENT,
                "the whole line is a string or integer, the table's keys are %s",
                k.key());
        List<String> lines = lines(new String((byte[]) file.objects()[0], StandardCharsets.UTF_8), vocabSize);
        Shape shape = Shape.of(lines.size());
        Tensor keys = c.temporary(k.key(), shape), values = c.temporary(k.value(), shape);
        try {
            for (int i = 0; i < lines.size(); i++) {
                String[] columns = lines.get(i).split(Pattern.quote(delimiter), -1);
                put(keys, i, keyIndex, lines.get(i), columns, offset);
                put(values, i, valueIndex, lines.get(i), columns, offset);
            }
            t.initialise(keys, values);
        } finally {
            keys.release();
            values.release();
        }
    }

    /** The first {@code count} lines of a file, all when it is negative. */
    static List<String> lines(String file, long count) {
        List<String> lines = lines(file);
        require(
                lines.size() >= count,
                INVALID_ARGUMENT,
                "Invalid vocab_size: expected %d but got %d lines",
                count,
                lines.size());
        return count < 0 ? lines : lines.subList(0, (int) count);
    }

    private static void put(Tensor to, int i, int index, String line, String[] columns, long offset) {
        if (index == LINE_NUMBER) {
            to.setLong(i, i + offset);
            return;
        }
        require(
                index < columns.length,
                INVALID_ARGUMENT,
                "Invalid number of columns in line %d (%s): expected at least %d, got %d",
                i,
                line,
                index + 1,
                columns.length);
        String text = index == WHOLE_LINE ? line : columns[index];
        if (to.dtype() == DType.STRING) {
            to.objects()[i] = text.getBytes(StandardCharsets.ISO_8859_1);
            return;
        }
        try {
            if (to.dtype().isFloating()) to.set(i, Double.parseDouble(text.strip()));
            else to.setLong(i, Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "Field %s in line %d is not a valid %s".formatted(text, i, to.dtype()), e);
        }
    }

    /** The lines as Latin-1, so that their bytes survive. */
    private static List<String> lines(String file) {
        byte[] all = Arguments.contents(file);
        int lines = 0;
        for (byte b : all) if (b == '\n') lines++;
        Counts.objects(lines, 256);
        return new String(all, StandardCharsets.ISO_8859_1).lines().toList();
    }
}
