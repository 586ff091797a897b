package dev.oxbow.parquet;

import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;

/** Decodes the pages of a column of one row group into an array, by the library's readers of each encoding. */
final class ColumnPages {
    private final ColumnDescriptor column;
    private final int rows;
    private final int present;
    private final boolean isList;
    private final boolean elementsMayBeNull;
    private Object array;
    private int[] starts;
    private BitSet nulls;
    private int row;
    private int count;

    ColumnPages(ColumnDescriptor column, int rows) {
        this.column = column;
        this.rows = rows;
        present = column.getMaxDefinitionLevel();
        isList = column.getMaxRepetitionLevel() > 0;
        elementsMayBeNull = column.getPrimitiveType().isRepetition(Type.Repetition.OPTIONAL);
        array = empty(column, rows);
        if (isList) starts = new int[rows + 1];
    }

    private static Object empty(ColumnDescriptor column, int n) {
        return switch (column.getPrimitiveType().getPrimitiveTypeName()) {
            case FLOAT -> new float[n];
            case DOUBLE -> new double[n];
            case INT32, BOOLEAN -> new int[n];
            case INT64 -> new long[n];
            default -> new byte[n][];
        };
    }

    Values decode(RowGroup group, String name, PageReader pages) throws IOException {
        Dictionary dictionary = null;
        DictionaryPage first = pages.readDictionaryPage();
        if (first != null) dictionary = first.getEncoding().initDictionary(column, first);
        for (DataPage page = pages.readPage(); page != null; page = pages.readPage()) {
            if (!isList && page.getValueCount() > rows - row)
                throw new IOException("has more than %d values".formatted(rows));
            switch (page) {
                case DataPageV1 v1 -> first(v1, dictionary);
                case DataPageV2 v2 -> second(v2, dictionary);
                default -> throw new IOException("has a page of an unknown version");
            }
        }
        if (row != rows) throw new IOException("has %d rows, wanted are %d".formatted(row, rows));
        if (isList) starts[rows] = count;
        return new Values(group, name, array, nulls, starts);
    }

    private interface Levels {
        int next() throws IOException;
    }

    private void first(DataPageV1 page, Dictionary dictionary) throws IOException {
        int n = page.getValueCount();
        ByteBufferInputStream in = page.getBytes().toInputStream();
        ValuesReader repetition = page.getRlEncoding().getValuesReader(column, ValuesType.REPETITION_LEVEL);
        ValuesReader definition = page.getDlEncoding().getValuesReader(column, ValuesType.DEFINITION_LEVEL);
        repetition.initFromPage(n, in);
        definition.initFromPage(n, in);
        take(n, repetition::readInteger, definition::readInteger, page.getValueEncoding(), in, dictionary);
    }

    private void second(DataPageV2 page, Dictionary dictionary) throws IOException {
        take(
                page.getValueCount(),
                levels(page.getRepetitionLevels(), column.getMaxRepetitionLevel()),
                levels(page.getDefinitionLevels(), present),
                page.getDataEncoding(),
                page.getData().toInputStream(),
                dictionary);
    }

    private static Levels levels(BytesInput bytes, int most) throws IOException {
        if (most == 0) return () -> 0;
        var decoder = new RunLengthBitPackingHybridDecoder(BytesUtils.getWidthFromMaxInt(most), bytes.toInputStream());
        return decoder::readInt;
    }

    /** The values of a page: places first, by the levels, then what fills them. */
    private void take(
            int n, Levels repetition, Levels definition, Encoding encoding, ByteBufferInputStream in, Dictionary words)
            throws IOException {
        int from = count, there = n;
        BitSet missing = null;
        if (present > 0 || isList) {
            there = 0;
            for (int i = 0; i < n; i++) {
                if (repetition.next() == 0) begin();
                int level = definition.next();
                if (level == present) there++;
                else if (isList && (!elementsMayBeNull || level < present - 1)) continue; // a list without elements
                else {
                    if (missing == null) missing = new BitSet();
                    missing.set(count);
                }
                count++;
            }
        } else {
            row += n;
            count += n;
        }
        if (missing != null) {
            if (nulls == null) nulls = new BitSet();
            nulls.or(missing);
        }
        reserve(count);
        if (encoding == Encoding.PLAIN && missing == null && bulk(from, there, in)) return;
        ValuesReader values = encoding.usesDictionary()
                ? encoding.getDictionaryBasedValuesReader(column, ValuesType.VALUES, words)
                : encoding.getValuesReader(column, ValuesType.VALUES);
        values.initFromPage(n, in);
        if (encoding.usesDictionary() && missing == null && words(values, words, from)) return;
        read(values, from, missing);
    }

    /** Numbers that a dictionary has: it is read once, and then places in it. */
    private boolean words(ValuesReader values, Dictionary words, int from) {
        int last = words.getMaxId();
        switch (array) {
            case float[] a -> {
                float[] all = new float[last + 1];
                for (int i = 0; i <= last; i++) all[i] = words.decodeToFloat(i);
                for (int i = from; i < count; i++) a[i] = all[values.readValueDictionaryId()];
            }
            case long[] a -> {
                long[] all = new long[last + 1];
                for (int i = 0; i <= last; i++) all[i] = words.decodeToLong(i);
                for (int i = from; i < count; i++) a[i] = all[values.readValueDictionaryId()];
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void begin() throws IOException {
        if (row == rows) throw new IOException("has more than %d rows".formatted(rows));
        if (isList) starts[row] = count;
        row++;
    }

    private void reserve(int n) {
        int length = Array.getLength(array);
        if (n <= length) return;
        int more = Math.max(n, length + (length >> 1));
        array = switch (array) {
            case float[] a -> Arrays.copyOf(a, more);
            case double[] a -> Arrays.copyOf(a, more);
            case int[] a -> Arrays.copyOf(a, more);
            case long[] a -> Arrays.copyOf(a, more);
            default -> Arrays.copyOf((byte[][]) array, more);
        };
    }

    /** Numbers that lie in the page as they do in memory. */
    private boolean bulk(int from, int n, ByteBufferInputStream in) throws IOException {
        switch (array) {
            case float[] a -> slice(in, n, Float.BYTES).asFloatBuffer().get(a, from, n);
            case double[] a -> slice(in, n, Double.BYTES).asDoubleBuffer().get(a, from, n);
            case long[] a -> slice(in, n, Long.BYTES).asLongBuffer().get(a, from, n);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer slice(ByteBufferInputStream in, int n, int size) throws IOException {
        if (in.available() < (long) n * size)
            throw new IOException("has a page of %d bytes for %d values".formatted(in.available(), n));
        return in.slice(n * size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A loop for each kind of values: what a loop decides again for each of them costs more than the value. */
    private void read(ValuesReader values, int from, BitSet missing) {
        boolean isBoolean = column.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BOOLEAN;
        switch (array) {
            case float[] a -> each(from, missing, i -> a[i] = values.readFloat());
            case double[] a -> each(from, missing, i -> a[i] = values.readDouble());
            case long[] a -> each(from, missing, i -> a[i] = values.readLong());
            case int[] a when isBoolean -> each(from, missing, i -> a[i] = values.readBoolean() ? 1 : 0);
            case int[] a -> each(from, missing, i -> a[i] = values.readInteger());
            default ->
                each(
                        from,
                        missing,
                        i -> ((byte[][]) array)[i] = values.readBytes().getBytes());
        }
    }

    private interface Reading {
        void at(int i);
    }

    private void each(int from, BitSet missing, Reading reading) {
        for (int i = from; i < count; i++) if (missing == null || !missing.get(i)) reading.at(i);
    }
}
